import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Order of keys") struct KeyOrderTests {
    @Test("Keys come in the order in which they compare, whatever their beginnings share", arguments: 1...10)
    func order(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let apps = [nil, AppID("com.example.a"), AppID("com.example.a.b"), AppID("a"), AppID("com.example.B")]
        let beginnings = ["", "n", "\u{0}", "\u{0}\u{0}", "e\u{301}", "é", "12345678", "1234567", "12345678\u{0}"]
        let keys = (0..<300).map { number in
            RowKey(
                RowCollection.allCases.randomElement(using: &random) ?? .apps,
                app: apps.randomElement(using: &random) ?? nil,
                key: (beginnings.randomElement(using: &random) ?? "") + (number % 3 == 0 ? "" : "\(number % 40)"))
        }
        let unique = Array(Set(keys))
        #expect(KeyOrder(count: unique.count, { unique[$0] }).indices.map { unique[$0] } == unique.sorted())
        #expect(KeyOrder(count: 0, { unique[$0] }).indices.isEmpty)
    }
}
