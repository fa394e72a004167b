import FocusCore

import struct Foundation.UUID

extension EventID {
    /// A UUIDv7 (RFC 9562 §5.7): milliseconds since 1970, then 74 random bits. Ids that are made one after another are
    /// neighbours in a database's index, so few of its pages change.
    public static func version7(
        milliseconds: UInt64, using generator: inout some RandomNumberGenerator
    ) -> EventID {
        var high = (milliseconds & 0xFFFF_FFFF_FFFF) << 16 | UInt64.random(in: 0...0x0FFF, using: &generator)
        high |= 0x7000
        let low = UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator) | 0x8000_0000_0000_0000
        var uuid = (UInt64(0), UInt64(0))
        uuid.0 = high.bigEndian
        uuid.1 = low.bigEndian
        return withUnsafeBytes(of: uuid) { bytes in
            guard let id = EventID(bytes: bytes) else { preconditionFailure("two words are 16 bytes") }
            return id
        }
    }
}
