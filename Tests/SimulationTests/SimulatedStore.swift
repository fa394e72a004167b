import EventStore
import FocusCore
import PostgresClient

@testable import SyncServer

/// The access of one server to the log; it fails as the seed says.
final class SimulatedStore: LaneStore {
    let log: SimulatedLog
    /// The transaction of `lock`, until its last statement.
    var transaction: SimulatedLocks.Transaction?
    var anchors: () -> [Partition: LogAnchor] = { [:] }
    var random: SeededGenerator
    /// Called each time, because all faults end when the simulation heals.
    let faults: () -> SimulationPlan.Faults
    var whileWaiting: () -> Void = {}
    /// Behind a pooler the connection survives the database behind it: that the log was restored shows only when the
    /// anchors are verified.
    let isPooled: Bool
    /// Called before each database call; the connections go on meanwhile.
    var willCall: () throws -> Void = {}
    /// Called after a look for where loads stand in the log.
    var didPlaceLoads: () throws -> Void = {}
    /// How often in a row a batch for each partition came too late; and the most that is right.
    private var late: [Partition: Int] = [:]
    var lateLimit: Int?
    /// The database's clock.
    var time: () -> Timestamp? = { nil }
    /// Called when the server has a user's events up to a version.
    var didSee: (UserID, Version) -> Void = { _, _ in }

    init(
        _ log: SimulatedLog, _ random: SeededGenerator, isPooled: Bool,
        faults: @escaping () -> SimulationPlan.Faults
    ) {
        self.log = log
        self.isPooled = isPooled
        self.random = random
        self.faults = faults
    }

    func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        if let transaction { return try append(batches, in: transaction) }
        try willCall()
        let faults = faults()
        if random.once(in: faults.appendFails) { throw PostgresError(kind: .insufficientResources, message: "full") }
        if random.once(in: faults.diesBeforeCommit) { throw StoreStopped() }
        if random.once(in: faults.losesInDoubt) {
            // The connection was lost together with the statement; the log, asked for the outcome, has none of the
            // events.
            return Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, .behind) })
        }
        if !isPooled { try verify() }
        log.locks.waitForHolders(of: batches.map(\.partition).sorted())
        return try settle(
            batches, Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, log.append($0)) }))
    }

    /// What follows the statement.
    func settle(
        _ batches: [PartitionAppend], _ outcomes: [Partition: PartitionOutcome]
    ) throws -> [Partition: PartitionOutcome] {
        let faults = faults()
        for batch in batches { judgeContention(batch.partition, outcomes[batch.partition]) }
        // In PostgreSQL this is the time in which the commit waits: others may read what no standby has.
        if random.once(in: faults.diesAfterCommit) { throw StoreStopped() }
        if outcomes.values.contains(where: { $0 != .behind }) { log.replicate() }
        for batch in batches {
            guard case .committed = outcomes[batch.partition] else { continue }
            for event in batch.events { didSee(event.user, event.version) }
        }
        return outcomes
    }

    private func judgeContention(_ partition: Partition, _ outcome: PartitionOutcome?) {
        late[partition] = outcome == .behind ? late[partition, default: 0] + 1 : 0
        if let lateLimit, late[partition, default: 0] > lateLimit {
            log.witness.fail("\(late[partition, default: 0]) appends to \(partition) in a row came too late")
        }
    }

    func read() throws {
        if transaction != nil { log.witness.fail("something is asked while partitions are locked") }
        try willCall()
        if random.once(in: faults().readFails) {
            throw PostgresError(kind: .insufficientResources, message: "out of memory")
        }
        if !isPooled { try verify() }
    }

    /// A restored database is reached over a new connection, which verifies the anchors first.
    func verify() throws {
        for (partition, anchor) in anchors() where !log.holds(anchor, partition) { throw LogTruncated(partition) }
    }

    func verifyAnchors() throws {
        try read()
        try verify()
    }

    func timeline() throws -> Timeline {
        try read()
        return log.timeline
    }

    /// A restored database is reached over a new connection; a pooler hides that.
    var connectionNumber: Int { isPooled ? 0 : log.restores }

    func confirm() throws {
        try read()
        log.replicate()
        try verify()
    }

    func heads(of partitions: [Partition]) throws -> [PartitionHead] {
        try read()
        return partitions.sorted().map { log.head($0) }
    }

    func timedHeads(of partitions: [Partition]) throws -> TimedHeads {
        TimedHeads(heads: try heads(of: partitions), time: time())
    }

    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent] {
        try read()
        let events = log.events(partition, from: offset, limit: limit)
        for event in events { didSee(event.user, event.version) }
        return events
    }

    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID? {
        try read()
        return log.event(of: user, partition, at: version)
    }

    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange] {
        try read()
        return log.users(partition, in: range)
    }

    func held(of heads: [PartitionHead]) throws -> Set<PartitionHead> {
        try read()
        let held = heads.filter { head in head.anchor.map { log.holds($0, head.partition) } ?? false }
        try didPlaceLoads()
        return Set(held)
    }

    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        try read()
        return places.keys.sorted().flatMap { partition in
            log.dueUsers(partition, after: places[partition] ?? .start, until: until, limit: limit)
        }
    }

    func logFormat() throws -> Int32 {
        try read()
        return log.format
    }

    func checkpoints(of heads: [PartitionHead]) throws -> [Partition: Checkpoint] {
        try read()
        return Dictionary(uniqueKeysWithValues: heads.map { ($0.partition, log.place($0.partition)) })
    }

    /// The simulation has a single generation.
    func changedUsers(of partition: Partition, from before: Int32, to generation: Int32) -> Set<UserID>? { nil }

    func close() { unlock() }
}

/// Loads users after a while, as the log and the read model are then, or not at all.
final class SimulatedLoader: LaneLoader {
    private let ask: (LoadQuestion) -> Void
    private let askAudiences: (AudienceQuestion) -> Void

    init(ask: @escaping (LoadQuestion) -> Void, askAudiences: @escaping (AudienceQuestion) -> Void) {
        (self.ask, self.askAudiences) = (ask, askAudiences)
    }

    func start() {}
    func stop() {}
    func post(_ question: LoadQuestion) { ask(question) }
    func post(_ question: AudienceQuestion) { askAudiences(question) }
}

/// Answers after a while, from the log as it is then, or not at all.
final class SimulatedPlaceFinder: LanePlaceFinder {
    private let ask: (PlaceQuestion, @escaping (FoundPlaces?) -> Void) -> Void
    private let report: (UInt64, FoundPlaces?) -> Void

    init(
        ask: @escaping (PlaceQuestion, @escaping (FoundPlaces?) -> Void) -> Void,
        report: @escaping (UInt64, FoundPlaces?) -> Void
    ) {
        self.ask = ask
        self.report = report
    }

    func start() {}
    func stop() {}

    func post(_ question: PlaceQuestion, session: UInt64) { ask(question) { [report] in report(session, $0) } }
}

/// Writes batches after a while, or not at all.
final class SimulatedProjector: LaneProjector {
    private let write: (ProjectionBatch, @escaping (ProjectionResult) -> Void) -> Void
    private let report: (Partition, ProjectionReport) -> Void

    init(
        write: @escaping (ProjectionBatch, @escaping (ProjectionResult) -> Void) -> Void,
        report: @escaping (Partition, ProjectionReport) -> Void
    ) {
        self.write = write
        self.report = report
    }

    func start() {}
    func stop() {}

    func post(_ batch: ProjectionBatch, _ report: ProjectionReport) {
        write(batch) { [self] result in
            var done = report
            done.result = result
            self.report(batch.partition, done)
        }
    }
}
