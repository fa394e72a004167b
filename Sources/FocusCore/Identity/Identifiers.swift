import struct Foundation.UUID

/// A user, the owner of one stream of events.
public struct UserID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// One install on one device; a reinstall is another device. The nil UUID is the server itself.
public struct DeviceID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// The device that the server's own events (`T…`) carry; smallest in every comparison of stamps (rule E3).
    public static let server = DeviceID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

/// An event's identity, chosen by the device (UUIDv7).
public struct EventID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// A log's identity, fixed when the log is created. Another log id means another history (rule S4).
public struct LogID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// A random number made with a device's local store; device sequences count within it (rule E1).
public struct Incarnation: Hashable, Sendable, Comparable {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
