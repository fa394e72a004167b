import FocusCore
import FocusWire
import Foundation
import Support

extension Envelope {
    /// An event as a device sends it now.
    static func of(_ body: EventBody, app: String? = nil, at time: Timestamp = .now, id: EventID = .random())
        -> Envelope
    {
        Envelope(
            id: id, type: body.type.rawValue, app: app, occurredAt: time, schemaVersion: 1,
            payload: PayloadCodec.encode(body))
    }

    /// The events that let `app` post: registration and permission to notify.
    static func setUp(_ app: String) -> [Envelope] {
        [
            .of(.appRegistered(AppRegistered(name: app, build: 1, capabilities: [.communication])), app: app),
            .of(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
        ]
    }

    static func post(_ id: String, app: String, body: String = "b") -> Envelope {
        .of(.notificationPosted(NotificationPosted(notificationID: id, title: "t", body: body)), app: app)
    }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
}
