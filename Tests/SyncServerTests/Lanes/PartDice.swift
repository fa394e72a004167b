/// Numbers that look random and are the same for the same seed.
struct PartDice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }

    /// A number below the bound.
    mutating func number(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
