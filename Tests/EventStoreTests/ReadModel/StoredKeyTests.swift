import Testing

@testable import EventStore

@Suite("StoredKey")
struct StoredKeyTests {
    @Test("An ordinary key is stored as it is", arguments: ["", "a", "e\u{301}", String(repeating: "x", count: 1_000)])
    func ordinary(_ key: String) {
        #expect(StoredKey(key).text == key)
        #expect(StoredKey(key).bytes == nil)
    }

    @Test(
        "A key that no index takes gets a stand-in of its own",
        arguments: [
            "nul\u{0}", "\u{1}looks like one", String(repeating: "x", count: 1_001),
            String(repeating: "é", count: 2_048),
        ])
    func standIn(_ key: String) {
        let stored = StoredKey(key)
        #expect(stored.bytes == Array(key.utf8))
        #expect(stored.text.utf8.count == 65)
        #expect(stored.text != StoredKey(key + "x").text)
    }
}
