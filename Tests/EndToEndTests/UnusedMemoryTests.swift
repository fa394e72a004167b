import Testing

@testable import focusd

@Suite("Unused memory") struct UnusedMemoryTests {
    private let mib = 1 << 20

    /// In which of the minutes memory is given back, where this many MiB are unused beside 400 that are in use.
    private func given(back minutes: [[Int]]) -> [Bool] {
        var memory = UnusedMemory()
        return minutes.map { looks in
            let answers = (0..<UnusedMemory.looksPerMinute).map { look in
                memory.look(resident: (400 + looks[look % looks.count]) * mib, used: 400 * mib)
            }
            #expect(!answers.dropLast().contains(true), "only at the end of a minute")
            return answers.last == true
        }
    }

    @Test("much is given back once it was unused for a minute; what is needed again within the minute is not")
    func much() {
        #expect(given(back: [[101], [101]]) == [true, true])
        #expect(given(back: [[100], [500, 20], [500]]) == [false, false, true])
    }

    @Test("little is given back once it was unused for ten minutes, and what is soon needed again never")
    func little() {
        let (nine, ten) = (Array(repeating: [33], count: 9), Array(repeating: [33], count: 10))
        #expect(given(back: ten) == Array(repeating: false, count: 9) + [true])
        #expect(!given(back: nine + [[32]] + nine).contains(true))
    }

    @Test("a server that cannot read what is resident gives nothing back")
    func unknown() {
        var memory = UnusedMemory()
        let answers = (0..<200).map { _ in memory.look(resident: 0, used: 400 * mib) }
        #expect(!answers.contains(true))
    }
}
