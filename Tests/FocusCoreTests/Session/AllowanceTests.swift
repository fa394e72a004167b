import SeededNumbers
import Testing

@testable import FocusCore

/// Rule Q5: what was used flows back evenly.
@Suite struct AllowanceTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test("The whole may be used at once; what is past it has to flow back first, each part in its time")
    func wait() {
        let allowance = Allowance.minute(60)
        var use = AllowanceUse()
        #expect(use.isOver(at(0)) && use.rest(of: allowance, now: at(0)) == 60)
        #expect(use.wait(for: 60, of: allowance, now: at(0)) == nil)
        use.use(60, of: allowance, now: at(0))
        #expect(use.rest(of: allowance, now: at(0)) == 0 && use.wait(for: 1, of: allowance, now: at(0)) == 1_000)
        #expect(use.wait(for: 1, of: allowance, now: at(999)) == 1)
        #expect(use.wait(for: 1, of: allowance, now: at(1_000)) == nil && use.rest(of: allowance, now: at(1_999)) == 1)
        #expect(use.wait(for: 60, of: allowance, now: at(1_000)) == 59_000)
        #expect(!use.isOver(at(59_999)) && use.isOver(at(60_000)))
    }

    @Test("More than the whole may be used when all of it is there, and is paid for afterwards")
    func more() {
        let allowance = Allowance.day(10)
        var use = AllowanceUse()
        #expect(use.wait(for: 25, of: allowance, now: at(5)) == nil)
        use.use(25, of: allowance, now: at(5))
        #expect(use.wait(for: 1, of: allowance, now: at(5)) == 138_240_000)
    }

    @Test("Parts of which thousands flow back in a millisecond are counted exactly enough", arguments: [1, 7, 4_096])
    func fine(_ part: Int) {
        let allowance = Allowance.minute(1 << 30)
        var use = AllowanceUse()
        for _ in 0..<10_000 { use.use(part, of: allowance, now: at(1)) }
        let rest = use.rest(of: allowance, now: at(1))
        #expect(abs(rest - ((1 << 30) - 10_000 * part)) <= 1)
    }

    @Test("The greatest allowance there is can be used, and counted")
    func greatest() {
        let allowance = Allowance.day(.max)
        var use = AllowanceUse()
        #expect(use.rest(of: allowance, now: at(1)) == .max)
        use.use(1_000, of: allowance, now: at(1))
        #expect(use.wait(for: 1, of: allowance, now: at(1)) == nil && use.rest(of: allowance, now: at(1)) > 0)
    }

    @Test("Use with a bound on its time has flowed back by then, however much it was")
    func bounded() {
        let allowance = Allowance(10, milliseconds: 1_000)
        var use = AllowanceUse()
        for amount in [10, .max] {
            use.use(amount, of: allowance, now: at(0), most: 3_000)
            #expect(use.rest(of: allowance, now: at(0)) == 0)
        }
        #expect(use.rest(of: allowance, now: at(2_099)) == 0 && use.rest(of: allowance, now: at(2_100)) == 1)
        #expect(!use.isOver(at(2_999)) && use.isOver(at(3_000)))
    }

    @Test("Who counts what they asked as used when it is answered is never past what the other side counts on arrival")
    func answered() {
        for seed in UInt64(0)..<200 { #expect(refusals(seed, countsWhenAnswered: true) == 0, "seed \(seed)") }
        // To count from the sending on is not enough: a later question may be under way for less time.
        #expect((0..<200).contains { refusals($0, countsWhenAnswered: false) > 0 })
    }

    /// How many of 200 questions arrive past the allowance, when each is under way for a time of its own and is asked
    /// as soon as who asks believes that it may be.
    private func refusals(_ seed: UInt64, countsWhenAnswered: Bool) -> Int {
        var chance = SplitMix64(seed: seed)
        let allowance = Allowance.minute(60)
        var (asking, answering) = (AllowanceUse(), AllowanceUse())
        var (now, refused) = (Int64(0), 0)
        for _ in 0..<200 {
            now += asking.wait(for: 1, of: allowance, now: at(now)) ?? 0
            if !countsWhenAnswered { asking.use(1, of: allowance, now: at(now)) }
            now += .random(in: 0...20, using: &chance)
            if answering.wait(for: 1, of: allowance, now: at(now)) != nil { refused += 1 }
            answering.use(1, of: allowance, now: at(now))
            now += .random(in: 0...20, using: &chance)
            if countsWhenAnswered { asking.use(1, of: allowance, now: at(now)) }
        }
        return refused
    }

    @Test("A table remembers a bounded number, and of too many those who used the most")
    func bound() {
        var table = AllowanceTable<Int>(.minute(100), bound: 10)
        for key in 0..<10 { table.use(key + 1, by: key, now: at(0)) }
        #expect(table.count == 10)
        table.use(1, by: 10, now: at(0))
        #expect(table.count == 5 && table.rest(of: 9, now: at(0)) == 90 && table.rest(of: 0, now: at(0)) == 100)
        // Who has everything again is forgotten first.
        for key in 20..<26 { table.use(key - 19, by: key, now: at(60_000)) }
        #expect(table.count == 5 && table.rest(of: 25, now: at(60_000)) == 94)
        #expect(table.wait(for: 100, of: 25, now: at(60_000)) == 3_600)
    }
}
