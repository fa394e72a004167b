import EventStore
import FocusCore
import Foundation
import NIOEmbedded

@testable import SyncServer

/// What the parts of a lane are tested with, without a lane.
enum LaneSamples {
    static let log = LogID(UUID())

    static func handle(_ id: UInt64) -> SessionHandle {
        SessionHandle(id: id, outbox: Outbox(limit: 1_000), eventLoop: EmbeddedEventLoop()) { _ in }
    }

    static func identity(
        _ user: UserID, _ device: DeviceID = DeviceID(UUID()), _ scope: Scope = .system
    ) -> Identity {
        Identity(user: user, device: device, scope: scope, expiresAt: Timestamp(microseconds: .max))
    }

    static func session(_ id: UInt64, _ identity: Identity, _ incarnation: Int64 = 1) -> LaneSession {
        let view = View(scope: identity.scope, device: identity.device, deviceClass: .phone)
        return LaneSession(
            handle: handle(id), identity: identity, incarnation: Incarnation(incarnation), protocolVersion: 2,
            subscription: Subscription(view: view, log: log, resumingAt: nil),
            openedAt: MonotonicTime(milliseconds: 0), lastSequence: .zero)
    }

    static func opening(_ identity: Identity) -> SessionOpening {
        SessionOpening(
            identity: identity, view: View(scope: identity.scope, device: identity.device, deviceClass: .phone),
            incarnation: Incarnation(1), cursor: nil)
    }
}
