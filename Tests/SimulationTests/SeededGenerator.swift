import FocusCore
import Foundation
import SeededNumbers

/// SplitMix64: gives the same numbers for the same seed on every machine. Each part of a simulation has its own
/// generator, so that a change in one part does not shift the random numbers of another.
struct SeededGenerator: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// The generator of one part of a simulation.
    init(seed: UInt64, of part: String, _ number: Int = 0) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(part)/\(number)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        numbers = SplitMix64(seed: seed ^ hash)
        _ = next()
    }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in `times` on average; never for 0.
    mutating func once(in times: Int) -> Bool { times > 0 && number(0..<times) == 0 }

    mutating func element<T>(_ values: [T]) -> T { values[number(0..<values.count)] }

    mutating func uuid() -> UUID {
        let (a, b) = (next(), next())
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) {
            $0.storeBytes(of: a, as: UInt64.self)
            $0.storeBytes(of: b, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }
}
