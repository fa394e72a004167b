import FocusCore
import FocusWire
import Foundation

/// Events that cases append.
extension Envelope {
    static func of(
        _ body: EventBody, app: String? = nil, at time: Timestamp = .now, id: EventID = .version7()
    ) -> Envelope {
        Envelope(
            id: id, type: body.type.rawValue, app: app, occurredAt: time, schemaVersion: 1,
            payload: PayloadCodec.encode(body))
    }

    /// The two events that make `app` able to post: they register it and allow it to notify.
    static func setUp(_ app: String) -> [Envelope] {
        [
            .of(.appRegistered(AppRegistered(name: app, build: 1, capabilities: [.communication])), app: app),
            .of(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
        ]
    }

    static func post(_ id: String, app: String, body: String = "b") -> Envelope {
        .of(.notificationPosted(NotificationPosted(notificationID: id, title: "t", body: body)), app: app)
    }

    static func remove(_ ids: [String], app: String) -> Envelope {
        .of(.notificationRemoved(NotificationIDs(ids: ids)), app: app)
    }

    /// An event with a payload that does not decode.
    static func malformed(app: String) -> Envelope {
        Envelope(
            id: .version7(), type: "notification.posted", app: app, occurredAt: .now, schemaVersion: 1,
            payload: [0xFF])
    }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
}

extension EventID {
    /// A UUIDv7 (RFC 9562 §5.7), as the protocol asks of devices.
    static func version7() -> EventID {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let milliseconds = UInt64(Timestamp.now.microseconds / 1_000)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (8 * (5 - index))) }
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        return EventID(bytes: bytes) ?? EventID(UUID())
    }
}
