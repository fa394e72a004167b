import EventStore
import FocusCore
import FocusWire
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOEmbedded
import NIOPosix
import PostgresClient
import Support

@testable import SyncServer

/// A clock that stands still until the test moves it.
final class PartTime: Sendable {
    private let milliseconds = NIOLockedValueBox<Int64>(1_000_000)

    var now: MonotonicTime { MonotonicTime(milliseconds: milliseconds.withLockedValue { $0 }) }
    var wall: Timestamp { Timestamp(microseconds: 1_800_000_000_000_000 + now.milliseconds * 1_000) }

    func advance(_ time: Int64) { milliseconds.withLockedValue { $0 += time } }

    var clock: ServerClock { ServerClock(monotonic: { self.now }, wall: { self.wall }, step: { 1 }) }
}

/// Samples for testing the parts of a lane without a lane.
enum LaneSamples {
    static let log = LogID(UUID())

    /// The context of a lane with one partition.
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
        SessionHandle(
            id: id, quota: OutgoingQuota(limit: 1_000), eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        ) { _, _ in }
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

    /// A session's Append with these events, decoded from their bytes.
    /// - Parameters:
    ///   - app: that of the events that have one.
    ///   - time: when they happened.
    ///   - id: gives the next event's.
    static func append(
        _ session: UInt64, _ bodies: [EventBody], at sequence: Int64 = 1, app: AppID? = nil,
        happenedAt time: Timestamp = Timestamp(microseconds: 1_800_000_000_000_000),
        id: () -> EventID = { .random() }
    ) -> PendingAppend {
        let events = bodies.map { body in
            IncomingEvent(
                decoding: Envelope(
                    id: id(), type: body.type.rawValue, app: body.type.traits.app == .absent ? nil : app?.rawValue,
                    occurredAt: time, schemaVersion: FocusWire.payloadSchemaVersion, payload: PayloadCodec.encode(body))
            )
        }
        return PendingAppend(
            session: session,
            request: IncomingAppend(
                firstSequence: DeviceSequence(sequence), events: events,
                charge: InboundCharge(bytes: 100, owner: .connection(1))))
    }

    static func focus(_ id: String = "work", isActive: Bool = true) -> EventBody {
        .focusChanged(FocusChanged(focusID: id, isActive: isActive))
    }
}

/// Connections that record what they are told.
final class PartConnections {
    private let loop = EmbeddedEventLoop()
    private let told = NIOLockedValueBox<[UInt64: [SessionDelivery]]>([:])

    /// What was not looked at holds the loop, as the loop holds it.
    deinit { loop.run() }

    func handle(_ id: UInt64, quota: Int = 1_000_000) -> SessionHandle {
        SessionHandle(id: id, quota: OutgoingQuota(limit: quota), eventLoop: loop) { [told] deliveries, _ in
            told.withLockedValue { $0[id, default: []] += deliveries }
        }
    }

    /// What the connection was told since the last call.
    func deliveries(_ id: UInt64, _ batch: DeliveryBatch) -> [SessionDelivery] {
        batch.send()
        loop.run()
        return told.withLockedValue { $0.removeValue(forKey: id) ?? [] }
    }

    /// The same, in words.
    func told(_ id: UInt64, _ batch: DeliveryBatch) -> [String] {
        deliveries(id, batch).map { delivery in
            switch delivery {
            case .opened(let opened): "opened\(opened.logIsBehind ? ", log is behind" : "")"
            case .answered(let frame, let released): "answered \(frame.isEmpty ? "nothing" : "") \(released.bytes)"
            case .rows: "rows"
            case .statuses: "statuses"
            case .confirmed: "confirmed"
            case .fetched: "fetched"
            case .reach: "reach"
            case .control: "checkpoint"
            case .failed(let error): error.code.rawValue
            case .refusedAsRevoked: ErrorCode.revoked.rawValue
            case .goAway(let code): "go away: \(code.rawValue)"
            case .cutOff: "cut off"
            }
        }
    }
}

/// Users in memory, as the test puts them there.
final class PartUsers: UserDirectory {
    var users: [UserID: CachedUser] = [:]
    var quarantined: Set<UserID> = []
    var outlines: [UserID: OutlinedUser] = [:]

    subscript(id: UserID) -> CachedUser? { users[id] }
    func isAwaitingLoad(_ id: UserID) -> Bool { users[id] == nil && !quarantined.contains(id) }
    func outline(of id: UserID) -> OutlinedUser? { outlines[id] }
    func isQuarantined(_ id: UserID) -> Bool { quarantined.contains(id) }
    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64 { 500 }

    /// Loads a user into memory with the events of the log.
    @discardableResult
    func load(_ id: UserID, from log: PartLog) throws -> CachedUser {
        var state = UserState(user: id)
        for event in log.events where event.user == id { _ = try state.apply(event.decoded()) }
        let user = CachedUser(
            id: id, partition: PartLog.partition, generation: 1, state: state, dirty: [],
            projectedVersion: .zero, lastUsed: 0)
        users[id] = user
        return user
    }
}
