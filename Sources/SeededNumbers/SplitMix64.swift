/// Numbers that look random and are the same for the same seed on every machine (Steele, Lea, Flood: *Fast splittable
/// pseudorandom number generators*, 2014). Generated logs, load plans and seeded tests are repeated by them; nothing
/// secret may be made of them.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        defer { state &+= Self.increment }
        return Self.mixed(state)
    }

    private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The first number of the generator with that seed: spreads a number over all 64 bits, and never two to one.
    package static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ increment
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
