import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Suggestions") struct SuggestionTests {
    private typealias Day = Double

    @Test("I3: a score is Σ (2·outgoing + incoming) · 2^(−age / 14) as of the newest day, of whole UTC days")
    func score() {
        var tally = PersonTally()
        // The stage's clock starts at 22:13:20 UTC, so two hours later is the next day.
        tally.add(.outgoing, at: .at(0))
        #expect(tally.score == 2)
        tally.add(.incoming, at: .at(3_600))
        #expect(tally.score == 3 && tally.days.count == 1)
        tally.add(.incoming, at: .at(7_200))
        // The third interaction is on the next calendar day.
        #expect(tally.days.count == 2)
        #expect(tally.score == 3 * 0.951_695_153_010_619_6 + 1)
        tally.add(.outgoing, at: .at(14 * 86_400))
        #expect(tally.score == 3 * 0.5 + 0.525_378_319_326_609_7 + 2)
    }

    @Test("I3: the newest day's score decays to any later time as the counts do")
    func laterTimes() {
        var tally = PersonTally()
        for day in [0, 3, 20, 28] { tally.add(.outgoing, at: .at(Double(day) * Stage.day)) }
        let row = SuggestionRow(tally)!
        #expect(row.score(at: row.lastAt) == row.score)
        #expect(row.score(at: .at(0)) == row.score)
        #expect(row.score(at: .at(42 * Stage.day)) == row.score / 2)
        let exact = [0, 3, 20, 28].reduce(0.0) { $0 + 2 * SuggestionDecay.weight(days: 33 - Int64($1)) }
        #expect(abs(row.score(at: .at(33 * Stage.day)) - exact) < 1e-15)
    }

    @Test("I3: weights are 2^(−d / 14), to the bit: the 14th power of a day's is a half, and so on")
    func weights() {
        #expect(SuggestionDecay.weight(days: 0) == 1)
        #expect(SuggestionDecay.weight(days: 7) == 0.5.squareRoot())
        for days in 0..<1_000 as Range<Int64> {
            let weight = SuggestionDecay.weight(days: days)
            #expect(SuggestionDecay.weight(days: days + 14) == weight / 2)
            #expect(SuggestionDecay.weight(days: days + 1) < weight)
            // The product of two weights is the weight of the sum of their days, to about the last bit.
            let product = weight * SuggestionDecay.weight(days: 5)
            #expect(abs(product - SuggestionDecay.weight(days: days + 5)) <= 2 * product.ulp)
        }
        // The greatest possible age: the weight is 0, and nothing traps.
        #expect(SuggestionDecay.weight(days: 250_000_000) == 0)
        #expect(
            [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13].map { SuggestionDecay.weight(days: $0).bitPattern } == [
                0x3FEE_7449_64BE_278B, 0x3FEC_FBB0_31A7_41A5, 0x3FEB_9548_06A9_7DF0, 0x3FEA_402F_EEB9_C533,
                0x3FE8_FB91_D2A1_7639, 0x3FE7_C6A1_F29E_2CE6, 0x3FE5_88CE_A3F0_93BE, 0x3FE4_7E83_0AA6_B53E,
                0x3FE3_8114_7622_F886, 0x3FE2_8FE3_D4CA_FBB7, 0x3FE1_AA59_C411_5E7D, 0x3FE0_CFE6_3171_20A2,
            ])
    }

    @Test("I3: UTC days also before 1970", arguments: [(0, 0), (86_399_999_999, 0), (86_400_000_000, 1), (-1, -1)])
    func days(_ microseconds: Int64, _ day: Int64) {
        #expect(Timestamp(microseconds: microseconds).utcDay == day)
        #expect(Timestamp(microseconds: microseconds - 86_400_000_000).utcDay == day - 1)
    }

    @Test(
        "I3, I4: any order of adding and taking out gives the same counts and score",
        arguments: 1...20 as ClosedRange<UInt64>)
    func anyOrder(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let all = (0..<80).map { _ in
            (
                direction: Bool.random(using: &random) ? InteractionDirection.incoming : .outgoing,
                time: Timestamp.at(Double(Int.random(in: 0..<40, using: &random)) * 43_200)
            )
        }
        let kept = all.prefix(50)
        var plain = PersonTally()
        for one in kept { plain.add(one.direction, at: one.time) }
        for _ in 0..<5 {
            var other = PersonTally()
            for one in all.shuffled(using: &random) { other.add(one.direction, at: one.time) }
            for one in all[50...].shuffled(using: &random) { other.remove(one.direction, at: one.time) }
            #expect(other == plain && other.score == plain.score, "seed \(seed)")
            for one in kept { other.remove(one.direction, at: one.time) }
            #expect(other == PersonTally() && other.isEmpty)
        }
    }

    @Test("I3: days beyond 80 half-lives are below the last bit of the score")
    func horizon() {
        var tally = PersonTally()
        tally.add(.outgoing, at: .at(0))
        tally.add(.outgoing, at: .at(Double(SuggestionDecay.horizonDays) * Stage.day))
        #expect(tally.score == 2 + 2 * SuggestionDecay.weight(days: SuggestionDecay.horizonDays))
        for _ in 0..<10_000 { tally.add(.outgoing, at: .at(-10 * Stage.day)) }
        #expect(tally.score == 2 && 20_000 * SuggestionDecay.weight(days: 1_130) < 2.0.ulp / 2)
    }
}
