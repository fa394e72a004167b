import FocusCore
import PostgresClient

@testable import EventStore

/// One connection to the log in memory, as `PostgresConnection` is one to PostgreSQL: each call is one attempt, which
/// fails as the seed says.
final class SimulatedConnection: LogConnection {
    let access: SimulatedAccess
    /// The server that it reaches: the one that writes the log, or one that was demoted.
    private(set) var log: SimulatedLog
    private(set) var isUsable = true
    private(set) var isAbandoned = false
    var silenceLimit: Duration? = SimulatedAccess.silence
    private let whileWaiting: () -> Void
    /// The transaction of `lock`, until its last statement.
    var transaction: SimulatedLocks.Transaction?
    /// The transaction of a rebuild.
    var rebuilding: SimulatedTransaction?

    init(_ access: SimulatedAccess, _ log: SimulatedLog, _ whileWaiting: @escaping () -> Void) {
        (self.access, self.log, self.whileWaiting) = (access, log, whileWaiting)
    }

    func requestCancellation() {}

    func close() {
        isUsable = false
        rollBack()
    }

    func rollBack() {
        guard let transaction else { return }
        self.transaction = nil
        log.locks.release(transaction)
    }

    // MARK: Faults

    /// The connection ends, and its user learns of it at its next use, or from the lack of an answer.
    func cut() { close() }

    /// Another server takes over, and this one goes on answering.
    func stay(with old: SimulatedLog) {
        guard transaction == nil, rebuilding == nil else { return cut() }
        log = old
    }

    static let lost = PostgresError(kind: .connectionLost, message: "the connection is lost")

    /// Sends a statement: returns when the server has it. No transaction is open.
    func send() throws {
        if transaction != nil { log.witness.fail("something is asked while partitions are locked") }
        try call()
        if access.fails(once: access.faults.losesConnection) {
            close()
            throw Self.lost
        }
        if access.fails(once: access.faults.silences) { throw fallSilent() }
    }

    /// What each call begins with.
    func call() throws {
        guard isUsable else { throw Self.lost }
        try access.willCall()
        // Behind a pooler the connection is there, and the server is not. Or the process has died meanwhile.
        if access.database.isAway && log.successor == nil || access.isStopping() { close() }
        guard isUsable else { throw Self.lost }
    }

    func requireWrites() throws {
        guard log.successor != nil else { return }
        throw PostgresError(kind: .readOnly, sqlState: "25006", message: "the server was demoted")
    }

    /// Waits for an answer that does not come.
    func fallSilent() -> PostgresError {
        // The limit is longer each time in a row, and for so long the server cannot do anything else.
        let end = access.simulation.clock.now + microseconds(silenceLimit ?? SimulatedAccess.silence)
        access.database.isTroubled(until: end)
        wait(until: end)
        isAbandoned = isUsable
        close()
        access.database.isTroubled()
        return PostgresError(kind: .connectionLost, message: "the server did not answer in time")
    }

    /// Waits for at most so long as the connection is there and its process lives.
    private func wait(until end: Int64) {
        while access.simulation.clock.now < end, isUsable, !access.isStopping() {
            access.sleep(min(.milliseconds(100), .microseconds(end - access.simulation.clock.now)))
            if !access.isStopping() { whileWaiting() }
        }
    }

    /// Waits until nobody holds the partitions.
    /// - Parameter limit: nil: for as long as an answer may take; the connection is given up then.
    func waitForHolders(of partitions: [Partition], limit: Duration? = nil) throws {
        let clock = access.simulation.clock
        let end = clock.now + microseconds(limit ?? silenceLimit ?? SimulatedAccess.silence)
        while true {
            guard isUsable, !access.isStopping() else {
                close()
                throw Self.lost
            }
            // Another server may have taken over during the wait.
            try requireWrites()
            log.locks.waitForHolders(of: partitions)
            guard let holder = log.locks.orphan(of: partitions), let until = holder.orphanedUntil else { return }
            guard clock.now < end else { break }
            if holder.isLost { access.database.isTroubled() }
            // A holder whose time has passed ends as soon as the world goes on.
            wait(until: max(min(until, end), clock.now + 1))
        }
        guard limit == nil else { throw PostgresError(kind: .lockNotAvailable, message: "a partition is locked") }
        isAbandoned = true
        close()
        throw Self.lost
    }

    private func microseconds(_ duration: Duration) -> Int64 { Int64(duration / .microseconds(1)) }

    private func read<T>(_ body: (SimulatedLog) throws -> T) throws -> T {
        try send()
        if access.fails(once: access.faults.readFails) {
            throw PostgresError(kind: .insufficientResources, message: "out of memory")
        }
        return try body(log)
    }

    func sees(_ event: LoggedEvent) { sees(event.user, event.version, .event) }
    private func sees(_ state: UserState) { sees(state.user, state.version, .state) }

    func sees(_ users: [UserInRange]) {
        for user in users where user.revokes { sees(user.user, user.version, .revocations) }
    }

    private func sees(_ user: UserID, _ version: Version, _ what: SimulatedAccess.Sight.What) {
        let history = log.successor?.history ?? access.simulation.history
        access.didSee(SimulatedAccess.Sight(user: user, version: version, history: history, what: what))
    }

    // MARK: Log

    func commitPulse() throws {
        try read { _ in try requireWrites() }
        log.replicate()
    }

    func verify(_ anchors: [Partition: LogAnchor]) throws {
        try read { log in
            for (partition, anchor) in anchors.sorted(by: { $0.key < $1.key }) where !log.holds(anchor, partition) {
                throw LogTruncated(partition)
            }
        }
    }

    func timedHeads(of partitions: [Partition]) throws -> TimedHeads {
        try read { log in
            TimedHeads(
                heads: partitions.sorted().map { log.head($0) }, time: access.simulation.clock.wall(),
                isReadOnly: log.successor != nil)
        }
    }

    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent] {
        let events = try read { $0.events(partition, from: offset, limit: limit) }
        for event in events { sees(event) }
        return events
    }

    func held(of heads: [PartitionHead]) throws -> Set<PartitionHead> {
        let held = try read { log in
            heads.filter { head in head.anchor.map { log.holds($0, head.partition) } ?? false }
        }
        try access.didPlaceLoads()
        return Set(held)
    }

    func events(
        of user: UserID, partition: Partition, after version: Version, limit: Int
    ) throws -> [LoggedEvent] {
        try read { $0.events(of: user, partition, after: version, limit: limit) }
    }

    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID? {
        try read { $0.event(of: user, partition, at: version) }
    }

    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange] {
        let users = try read { $0.users(partition, in: range) }
        sees(users)
        return users
    }

    func places(_ question: PlaceQuestion) throws -> FoundPlaces {
        try read { log in
            guard let found = log.places(question) else { throw LogTruncated(question.partition) }
            return found
        }
    }

    func timeline() throws -> Timeline { try read { $0.successor == nil ? $0.timeline : Timeline(name: "") } }
    func logFormat() throws -> Int32 { try read { $0.format } }

    // MARK: Read model

    func load(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], rules: FoldRules
    ) throws -> [UserID: Result<LoadedUser, any Error>] {
        try send()
        // Most errors are taken to concern a user, who is then quarantined.
        if access.fails(once: access.faults.readFails) { throw PostgresError(kind: .timeout, message: "too slow") }
        return Dictionary(
            uniqueKeysWithValues: users.map { partition, user in
                let loaded = Result { try log.load(user, partition) }
                if case .success(let user) = loaded { sees(user.state) }
                return (user, loaded)
            })
    }

    func lookUp(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], rules: FoldRules
    ) throws -> [UserID: UserOutline] {
        let outlines = try read { log in try users.compactMap { try log.lookUp($1, $0) } }
        for outline in outlines { sees(outline.state) }
        return Dictionary(uniqueKeysWithValues: outlines.map { ($0.state.user, $0) })
    }

    func audiences(_ entries: [AudienceEntry], generation: Int32) throws -> FoundAudiences {
        try read { try $0.audiences(entries, generation: generation) }
    }

    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        try read { log in
            try places.keys.sorted().flatMap { partition in
                try log.dueUsers(
                    partition, after: places[partition] ?? .start, until: until, limit: limit, generation: generation)
            }
        }
    }

    func checkpoints(of partitions: [Partition], generation: Int32) throws -> [Partition: Checkpoint] {
        try read { log in
            try Dictionary(
                uniqueKeysWithValues: partitions.map { ($0, try log.checkpoint($0, generation: generation)) })
        }
    }

    func changedUsers(
        of partition: Partition, from before: Int32, to generation: Int32, rules: FoldRules, limit: Int
    ) throws -> Set<UserID>? {
        try read {
            $0.model.changedUsers(
                of: partition, from: before, to: generation, foldVersion: rules.version, limit: limit)
        }
    }

    func write(_ batch: ProjectionBatch, rules: FoldRules) throws -> ProjectionOutcome {
        try send()
        try requireWrites()
        let outcome = try project(batch, rules)
        // The answer is lost, and not the batch.
        if access.fails(once: access.faults.losesConnection) {
            close()
            throw Self.lost
        }
        return outcome
    }

    /// Holds the checkpoint for a while, and writes then; or as soon as somebody else has to wait for the checkpoint.
    private func project(_ batch: ProjectionBatch, _ rules: FoldRules) throws -> ProjectionOutcome {
        let (log, locks) = (log, log.locks)
        guard let held = locks.lockCheckpoint(of: batch.partition, in: batch.generation) else { return .busy }
        defer { locks.releaseCheckpoint(of: batch.partition, in: batch.generation, held) }
        var outcome: Result<ProjectionOutcome, any Error>?
        held.finish = {
            held.finish = nil
            outcome = Result { try log.write(batch, foldVersion: rules.version) }
        }
        if access.random.once(in: 4) { access.sleep(.microseconds(access.random.number(100...50_000))) }
        if isUsable, !access.isStopping() { held.finish?() }
        guard let outcome else {
            close()
            throw Self.lost
        }
        return try outcome.get()
    }
}
