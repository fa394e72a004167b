/// How long to wait before the next attempt: full jitter, so that many clients do not come back in step
/// ("Exponential Backoff And Jitter", AWS Architecture Blog).
public struct Backoff: Sendable {
    /// Upper bound of the first wait.
    public let base: Duration
    /// Upper bound of every wait.
    public let cap: Duration
    /// Where in 0…1 of the bound to wait; tests inject a fixed value.
    private let fraction: @Sendable () -> Double
    private var attempt = 0

    public init(
        base: Duration = .milliseconds(50), cap: Duration = .seconds(2),
        fraction: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.base = base
        self.cap = cap
        self.fraction = fraction
    }

    /// The wait before the next attempt: somewhere in 0…min(cap, base · 2ⁿ).
    public mutating func next() -> Duration {
        // 2³⁰ · base is beyond any cap; more would overflow.
        let bound = min(cap, base * (1 << min(attempt, 30)))
        attempt += 1
        return bound * min(max(fraction(), 0), 1)
    }

    /// Begins with the first wait again; to be called after a success.
    public mutating func reset() { attempt = 0 }
}
