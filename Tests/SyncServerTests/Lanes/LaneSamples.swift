import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOEmbedded
import PostgresClient

@testable import SyncServer

/// A time that stands still until the test moves it.
final class PartTime: Sendable {
    private let milliseconds = NIOLockedValueBox<Int64>(1_000_000)

    var now: MonotonicTime { MonotonicTime(milliseconds: milliseconds.withLockedValue { $0 }) }
    var wall: Timestamp { Timestamp(microseconds: 1_800_000_000_000_000).adding(milliseconds: now.milliseconds) }

    func advance(_ time: Int64) { milliseconds.withLockedValue { $0 += time } }

    var clock: ServerClock { ServerClock(monotonic: { self.now }, wall: { self.wall }, step: { 1 }) }
}

/// What the parts of a lane are tested with, without a lane.
enum LaneSamples {
    static let log = LogID(UUID())

    /// Of a lane with one partition.
    static func context(_ time: PartTime, _ configuration: LaneConfiguration = LaneConfiguration()) -> LaneContext {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = StoreConfiguration(PostgresConfiguration(conninfo: ""))
        let faults = Faults()
        return LaneContext(
            log: LogIdentity(
                log: log, partitions: 1, hash: EventStore.partitionHash, format: EventStore.incarnationFormat),
            format: LogFormat(EventStore.incarnationFormat), store: store, configuration: configuration,
            clock: time.clock, databaseTime: DatabaseTime(time.clock, logger: logger),
            budget: InboundBudget(limit: 1_000_000),
            hints: HeadHints(configuration: store, faults: faults, logger: logger), faults: faults,
            freshness: Freshness(lanes: 1), logger: logger)
    }

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
