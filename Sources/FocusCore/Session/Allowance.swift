/// How much may be used at once. What was used flows back evenly, all of it within a time (rule Q5).
public struct Allowance: Hashable, Sendable {
    /// At least 1.
    public var amount: Int
    /// At least 1.
    public var milliseconds: Int64

    public init(_ amount: Int, milliseconds: Int64) {
        precondition(amount > 0 && milliseconds > 0, "an allowance of nothing")
        (self.amount, self.milliseconds) = (amount, milliseconds)
    }

    public static func minute(_ amount: Int) -> Self { Self(amount, milliseconds: 60_000) }
    public static func day(_ amount: Int) -> Self { Self(amount, milliseconds: 86_400_000) }

    /// How long this much takes to flow back, in milliseconds; fractions count, as a byte takes less than one.
    fileprivate func time(of amount: Int) -> Double {
        Double(amount) * Double(milliseconds) / Double(self.amount)
    }
}

/// What is used of an allowance at a moment.
public struct AllowanceUse: Hashable, Sendable {
    /// When everything has flowed back, by the monotonic clock, in milliseconds.
    private var endsAt = -Double.infinity

    public init() {}

    /// Whether everything has flowed back.
    public func isOver(_ now: MonotonicTime) -> Bool { endsAt <= Double(now.milliseconds) }

    /// How much may be used now.
    public func rest(of allowance: Allowance, now: MonotonicTime) -> Int {
        let free = Double(allowance.milliseconds) - max(0, endsAt - Double(now.milliseconds))
        let rest = max(0, free) / allowance.time(of: 1)
        // The greatest numbers round to one that no `Int` is.
        return rest < Double(allowance.amount) ? Int(rest) : allowance.amount
    }

    /// How many milliseconds later this much may be used, at least 1; nil: now. More than the whole allowance may be
    /// used when all of it is there.
    public func wait(for amount: Int, of allowance: Allowance, now: MonotonicTime) -> Int64? {
        let whole = Double(allowance.milliseconds)
        let used = max(0, endsAt - Double(now.milliseconds))
        let excess = used + min(allowance.time(of: amount), whole) - whole
        // What doubles lose at a whole allowance is far below a millisecond.
        return excess < 0.001 ? nil : max(1, Int64(excess.rounded(.up)))
    }

    /// - Parameter most: the milliseconds after which everything has flowed back, however much is used; at least 0.
    public mutating func use(_ amount: Int, of allowance: Allowance, now: MonotonicTime, most: Int64 = .max) {
        let now = Double(now.milliseconds)
        endsAt = min(max(endsAt, now) + allowance.time(of: amount), now + Double(most))
    }

    /// Whether this use ends before another.
    public func ends(before other: Self) -> Bool { endsAt < other.endsAt }
}
