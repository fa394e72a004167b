/// How interactions lose weight with age (rule I3): half of it in 14 days. It uses plain IEEE 754 arithmetic, so that a
/// score has the same bits on every platform (see `Trigonometry`).
enum SuggestionDecay {
    static let halfLifeDays: Int64 = 14

    /// An interaction that is this much older than another adds less than half of the last bit to any score that 10,000
    /// donations can have: 80 half-lives. It bounds what a score costs.
    static let horizonDays = 80 * halfLifeDays

    /// 2^(−r / 14) for r = 0 … 13, correctly rounded.
    private static let remainders: [Double] = [
        0x1p0, 0x1.e744964be278bp-1, 0x1.cfbb031a741a5p-1, 0x1.b954806a97df0p-1, 0x1.a402feeb9c533p-1,
        0x1.8fb91d2a17639p-1, 0x1.7c6a1f29e2ce6p-1, 0x1.6a09e667f3bcdp-1, 0x1.588cea3f093bep-1,
        0x1.47e830aa6b53ep-1, 0x1.381147622f886p-1, 0x1.28fe3d4cafbb7p-1, 0x1.1aa59c4115e7dp-1,
        0x1.0cfe6317120a2p-1,
    ]

    /// 2^(−days / 14), correctly rounded while it is a normal number; `days` is not negative.
    static func weight(days: Int64) -> Double {
        // Scaling by a power of two is exact.
        Double(
            sign: .plus, exponent: -Int(days / halfLifeDays),
            significand: remainders[Int(days % halfLifeDays)])
    }
}

extension Timestamp {
    /// Whole UTC days since 1970-01-01.
    var utcDay: Int64 {
        let day: Int64 = 86_400 * 1_000_000
        return microseconds / day - (microseconds % day < 0 ? 1 : 0)
    }
}
