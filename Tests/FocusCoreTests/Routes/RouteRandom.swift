import SeededNumbers

/// SplitMix64: gives the same numbers for the same seed on every platform, so that a failing property can be repeated.
struct RouteRandom: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }
}
