import FocusCore
import Foundation
import SeededNumbers

/// The numbers of a generated log.
struct PlanRandom: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    /// Different streams under one seed give independent numbers.
    init(seed: UInt64, stream: UInt64 = 0) {
        numbers = SplitMix64(seed: SplitMix64.mixed(seed) ^ (stream &* 0xD6E8_FEB8_6659_FD93))
        _ = next()
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// 0 ..< count.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

    /// True `count` times of `total`, on average.
    mutating func chance(_ count: Int, of total: Int) -> Bool { below(total) < count }

    /// 0 ..< 1, from 53 bits: no library function has a part in it.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// A random UUID (RFC 9562 §5.4).
    mutating func uuid() -> UUID { Self.uuid(version: 4, next(), next()) }

    /// A UUID that holds its time (RFC 9562 §5.7): milliseconds since 1970, then random bits.
    mutating func eventID(at time: Timestamp) -> EventID {
        let milliseconds = UInt64(max(0, time.microseconds) / 1_000)
        return EventID(Self.uuid(version: 7, milliseconds << 16 | next() & 0xFFFF, next()))
    }

    private static func uuid(version: UInt64, _ high: UInt64, _ low: UInt64) -> UUID {
        let high = (high & ~0xF000 | version << 12).bigEndian
        let low = (low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000).bigEndian
        return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
