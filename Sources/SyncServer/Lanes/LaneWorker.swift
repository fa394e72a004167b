import DequeModule
import EventStore
import FocusCore
import Foundation
import Logging

/// The lane's thread: everything here is confined to it.
final class LaneWorker {
    let context: LaneContext
    let store: StoreConnection
    let projector: Projector
    let mailbox: Mailbox<LaneRequest>
    var partitions: [Partition: PartitionState] = [:]
    var users: [UserID: CachedUser] = [:]
    /// Users whose fold failed, and until when nothing is tried for them.
    var quarantined: [UserID: MonotonicTime] = [:]
    var sessions: [UInt64: LaneSession] = [:]
    var sessionsByUser: [UserID: [UInt64]] = [:]
    var sessionsByStore: [StoreKey: UInt64] = [:]
    var openings: [(SessionHandle, SessionOpening)] = []
    var appends: Deque<PendingAppend> = []
    /// Users with sessions to which rows are to be sent, and who may have to be loaded first.
    var wanted: Set<UserID> = []
    var checkpointsDue: Deque<(at: MonotonicTime, session: UInt64)> = []
    var deliveries = DeliveryBatch()
    var headsConfirmedAt: MonotonicTime
    var headsMayHaveMoved = false
    /// See `LaneWorker+Time`: when something is due, of users in memory and of those whom the read model is behind of.
    var dueTimes: [UserID: Timestamp] = [:]
    var dueLook = DueLook()
    var nextLookAtTime = MonotonicTime(milliseconds: 0)
    /// Append frames that the last statement answered.
    var lastAnswered = 0
    var nextCacheCheck = MonotonicTime(milliseconds: 0)
    private var isStopped = false

    var configuration: LaneConfiguration { context.configuration }

    init(
        context: LaneContext, partitions: [Partition], mailbox: Mailbox<LaneRequest>,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        self.context = context
        self.mailbox = mailbox
        let logger = context.logger
        store = StoreConnection(
            context.store, isStopping: isStopping,
            onTrouble: { logger.warning("lane lacks the database", metadata: ["error": "\($0)"]) })
        projector = Projector(
            configuration: context.store, logger: context.logger, isStopping: isStopping,
            report: { mailbox.post(.projected($0, $1)) })
        headsConfirmedAt = MonotonicTime(milliseconds: 0)
        let now = context.clock.monotonic()
        let unknown = { (partition: Partition) in
            PartitionHead(
                partition: partition, nextOffset: .zero, lastRecordedAt: Timestamp(microseconds: 0), generation: 0)
        }
        for partition in partitions {
            self.partitions[partition] = PartitionState(
                head: unknown(partition), checkpoint: .zero, nextProjection: now)
        }
    }

    func run() {
        projector.start()
        var hasBegun = false
        while !isStopped {
            do {
                if !hasBegun { try begin() }
                hasBegun = true
                try turn()
            } catch is StoreStopped {
                // The database is away and the server is to end: nothing that waits was acknowledged.
                isStopped = true
            } catch {
                recover(from: error)
            }
        }
        deliveries.send()
        projector.stop()
        store.close()
    }

    /// The database answered with an error that trying again at once would not mend (disk full, say). States may hold what
    /// was not committed: all are loaded again. Requests wait; their devices see that nothing is acknowledged.
    private func recover(from error: any Error) {
        context.logger.critical("lane failed", metadata: ["error": "\(error)"])
        for id in Array(users.keys) { forget(id) }
        store.close()
        Thread.sleep(forTimeInterval: 0.25)
    }

    private func turn() throws {
        try take(mailbox.take(until: nextDeadline()))
        try confirmHeads()
        try loadMissingUsers()
        try catchUpWithCursors()
        performOpenings()
        try appendWaiting()
        try sendWanted()
        sendCheckpoints()
        try project()
        leaveCache()
        deliveries.send()
    }

    func take(_ requests: [LaneRequest]) throws {
        for request in requests {
            switch request {
            case .open(let handle, let opening): openings.append((handle, opening))
            case .append(let session, let append): appends.append(PendingAppend(session: session, request: append))
            case .resume(let session):
                if let user = sessions[session]?.identity.user { wanted.insert(user) }
            case .resync(let session, let collections):
                sessions[session]?.subscription.resync(collections)
                awaitCheckpoint(session)
                if let user = sessions[session]?.identity.user { wanted.insert(user) }
            case .close(let session): close(session)
            case .projected(let partition, let report): try projected(partition, report)
            case .headsMayHaveMoved: headsMayHaveMoved = true
            case .stop: isStopped = true
            }
        }
    }

    /// Nobody waits while there is work; else until the next checkpoint, projection or look at the heads.
    private func nextDeadline() -> Date {
        guard appends.isEmpty, wanted.isEmpty else { return .distantPast }
        let now = context.clock.monotonic()
        var next = min(headsConfirmedAt.adding(milliseconds: configuration.pollMilliseconds), nextLookAtTime)
        if let checkpoint = checkpointsDue.first { next = min(next, checkpoint.at) }
        for partition in partitions.values where !partition.isProjecting && !partition.unprojected.isEmpty {
            next = min(next, partition.nextProjection)
        }
        return Date(timeIntervalSinceNow: Double(max(0, next - now)) / 1000)
    }

    func partition(of user: UserID) -> Partition { Partition.of(user: user, count: context.log.partitions) }

    // MARK: Sessions

    private func close(_ id: UInt64) {
        openings.removeAll { $0.0.id == id }
        guard let session = sessions.removeValue(forKey: id) else { return }
        let user = session.identity.user
        sessionsByUser[user]?.removeAll { $0 == id }
        if sessionsByUser[user]?.isEmpty == true { sessionsByUser[user] = nil }
        let store = StoreKey(user: user, device: session.identity.device, incarnation: session.incarnation)
        if sessionsByStore[store] == id { sessionsByStore[store] = nil }
    }

    private func performOpenings() {
        let waiting = openings
        openings = []
        for (handle, opening) in waiting { open(handle, opening) }
    }

    private func open(_ handle: SessionHandle, _ opening: SessionOpening) {
        let identity = opening.identity
        guard let user = users[identity.user] else { return fail(handle, unavailable(identity.user)) }
        user.lastUsed = context.clock.monotonic().milliseconds
        let store = StoreKey(user: identity.user, device: identity.device, incarnation: opening.incarnation)
        if let older = sessionsByStore[store], let session = sessions[older] {
            deliveries.add(.goAway(.superseded), to: session.handle)
            close(older)
        }
        let standing = standing(opening.cursor, opening.view, user)
        let session = LaneSession(
            handle: handle, identity: identity, incarnation: opening.incarnation,
            subscription: Subscription(
                view: opening.view, log: context.log.log, resumingAt: standing.cursor))
        sessions[handle.id] = session
        sessionsByUser[identity.user, default: []].append(handle.id)
        sessionsByStore[store] = handle.id
        let last = user.state.lastSequence(of: identity.device, incarnation: opening.incarnation)
        deliveries.add(
            .opened(SessionOpened(log: context.log.log, lastSequence: last, logIsBehind: standing.logIsBehind)),
            to: handle)
        send(to: handle.id, user)
        awaitCheckpoint(handle.id)
    }

    func fail(_ handle: SessionHandle, _ error: ProtocolError) {
        deliveries.add(.failed(error), to: handle)
    }

    /// Why a user's state is not here although it was to be loaded.
    func unavailable(_ user: UserID) -> ProtocolError {
        guard let until = quarantined[user] else {
            return ProtocolError(
                .unavailable, "The log cannot be read at the moment. Try again.", retryAfterMilliseconds: 1_000)
        }
        let wait = max(0, until - context.clock.monotonic())
        return ProtocolError(
            .userQuarantined, "This user's events cannot be folded at the moment. Nothing is lost; try again later.",
            retryAfterMilliseconds: UInt32(clamping: wait))
    }
}
