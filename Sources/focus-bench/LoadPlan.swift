import FocusCore
import Foundation
import SeededNumbers

/// Which load to make. The same plan gives the same users, devices and events.
struct LoadPlan {
    enum Length {
        /// Events of all devices together.
        case events(Int)
        case seconds(Int)
    }

    var devices: Int
    /// The number of users, at most that of the devices, which are shared evenly among them.
    var users: Int
    /// How many events a frame has.
    var batch: Int
    /// How many frames a device may have unanswered.
    var window: Int
    var length: Length
    /// Events of all devices together in a second; nil: as fast as they are answered.
    var rate: Int?
    var seed: UInt64
    /// The run fails when the server says nothing for so many seconds.
    var timeoutSeconds: Int

    func user(of device: Int) -> UserID { UserID(uuid(kind: 1, device % users)) }
    func device(_ index: Int) -> DeviceID { DeviceID(uuid(kind: 2, index)) }
    /// The incarnation of each device's store.
    var incarnation: Incarnation { Incarnation(Int64(truncatingIfNeeded: seed)) }

    /// How many frames each device sends; nil: it sends until the time is over.
    var framesPerDevice: Int? {
        switch length {
        case .events(let count): (count + devices * batch - 1) / (devices * batch)
        case .seconds: nil
        }
    }

    /// Nanoseconds between two frames of a device; nil: the next one goes when the window allows it.
    var frameInterval: UInt64? { rate.map { UInt64(devices * batch) * 1_000_000_000 / UInt64($0) } }

    func generator(of device: Int) -> SplitMix64 { SplitMix64(seed: seed &* 0x1_0001 &+ UInt64(device)) }

    private func uuid(kind: UInt64, _ index: Int) -> UUID {
        var generator = SplitMix64(seed: seed &* 0x1_0001 &+ UInt64(index) &+ kind << 56)
        return UUID(version: 4, generator.next(), generator.next())
    }
}

extension UUID {
    /// A UUID of 128 bits, whose bits for version and variant are replaced (RFC 9562 §4).
    init(version: UInt64, _ high: UInt64, _ low: UInt64) {
        let high = high & ~0xF000 | version << 12
        let low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        self.init(uuid: bytes)
    }
}
