import Crypto
import Foundation

/// Other names for users, devices and people, for events that leave the operator's hands: the same for the same name
/// and key, and nothing to who has no key. Each is an HMAC-SHA256 (RFC 2104) of the kind and the name.
///
/// What is hidden: the ids of users and devices, also where a payload names them; people's handles, and the ids of
/// conversations and threads, which may be handles. Left out are people's display names and avatars, and the names of groups. What
/// stays: apps, times, ids of events and of an app's own things, places of routes, and all other texts of payloads:
/// titles, bodies, preferences. So it hides who somebody is from who does not know what they did, and no more.
public struct Pseudonyms: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: at least 32 bytes.
    public init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

    public func user(_ id: UserID) -> UserID { UserID(uuid("user", id.bytes)) }

    /// The server stays the server: it is nobody's.
    public func device(_ id: DeviceID) -> DeviceID { id == .server ? id : DeviceID(uuid("device", id.bytes)) }

    /// A handle, of 34 bytes.
    public func person(_ handle: String) -> String { "p-" + hex("person", Array(handle.utf8)) }

    func conversation(_ id: String) -> String { "c-" + hex("conversation", Array(id.utf8)) }

    /// A UUID of version 8 (RFC 9562 §5.8).
    private func uuid(_ kind: String, _ name: [UInt8]) -> UUID {
        var bytes = code(kind, name)
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    private func hex(_ kind: String, _ name: [UInt8]) -> String {
        code(kind, name).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The first 16 bytes of the HMAC. The kind ends with a zero byte, so that no two pairs are alike.
    private func code(_ kind: String, _ name: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(kind.utf8) + [0] + name, using: key).prefix(16))
    }
}
