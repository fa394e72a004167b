import Testing

@testable import focusd

@Suite("Unused memory") struct UnusedMemoryTests {
    private let mib = 1 << 20

    /// At which looks memory is given back, where they find this many MiB unused beside 400 that are in use.
    private func given(back looks: [Int]) -> [Bool] {
        var memory = UnusedMemory()
        return looks.map { memory.look(resident: (400 + $0) * mib, used: 400 * mib) }
    }

    @Test("much is given back once two looks in a row have found it; what is needed again between them is not")
    func much() {
        #expect(given(back: [101, 101, 101, 101]) == [false, true, false, true])
        #expect(given(back: [500, 20, 500, 100, 500, 500]) == [false, false, false, false, false, true])
    }

    @Test("little is given back once some looks in a row have found it, and what is soon needed again never")
    func little() {
        let some = UnusedMemory.patience
        #expect(given(back: Array(repeating: 33, count: some + 1)) == Array(repeating: false, count: some) + [true])
        let less = Array(repeating: 33, count: some) + [32]
        #expect(!given(back: less + less).contains(true))
    }

    @Test("a server that cannot read what is resident gives nothing back")
    func unknown() {
        var memory = UnusedMemory()
        let answers = (0..<200).map { _ in memory.look(resident: 0, used: 400 * mib) }
        #expect(!answers.contains(true))
    }
}
