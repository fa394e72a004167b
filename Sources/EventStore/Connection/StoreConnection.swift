import FocusCore
import Foundation
import PostgresClient
import Waits

/// One thread's connection to the log and the read model. It is made when needed and made again when lost; a call waits
/// until the database answers. Confined to the thread that uses it.
///
/// A call that may run twice is repeated after a lost connection; an append in doubt is first looked up.
public final class StoreConnection {
    let configuration: StoreConfiguration
    let isStopping: @Sendable () -> Bool
    private let onTrouble: @Sendable (PostgresError) -> Void
    private var current: PostgresConnection?
    /// Whether `lock` has begun a transaction on the current connection that is not over.
    private var holdsLocks = false
    /// How many connections were made. What one of them confirmed says nothing about the server that the next one
    /// reaches.
    public private(set) var connectionNumber = 0
    /// Events that the log must hold. Each new connection verifies them first, because the server that it reaches may
    /// lack what was lost with the one before. If one is missing, the call that needed the connection throws
    /// `LogTruncated`.
    public var anchors: () -> [Partition: LogAnchor] = { [:] }
    /// Called on the thread again and again while a call waits for the database. It must make no call itself.
    public var whileWaiting: () -> Void = {}
    /// The generation that each partition showed when one of its users was last loaded.
    private var generations: [Partition: Int32] = [:]

    /// - Parameters:
    ///   - isStopping: asked while the database is away; true ends the wait with `StoreStopped`.
    ///   - onTrouble: gets every failure that is met by trying again; for logs.
    public init(
        _ configuration: StoreConfiguration, isStopping: @escaping @Sendable () -> Bool,
        onTrouble: @escaping @Sendable (PostgresError) -> Void
    ) {
        self.configuration = configuration
        self.isStopping = isStopping
        self.onTrouble = onTrouble
    }

    public func close() {
        current?.close()
        (current, holdsLocks) = (nil, false)
    }

    // MARK: Log

    /// Locks partitions as `LogWriter.lock` does, until `append` or `unlock`, over which nothing else may be asked.
    /// Throws `LogTruncated`, `StoreStopped`, `PostgresError`: then nothing is locked.
    public func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition] {
        let locked = try perform { try LogWriter().lock(behind: known, limit: limit, on: $0) }
        holdsLocks = true
        return locked
    }

    /// Gives up what `lock` has locked, if it still is: nothing is written.
    public func unlock() {
        guard holdsLocks else { return }
        holdsLocks = false
        current?.rollBack()
    }

    /// Appends with one statement; while partitions are locked, in their transaction, which ends. When its commit is in doubt, the log is asked on a new connection, for as long as it
    /// takes: the outcomes are certain. Throws `PostgresError` when nothing was written, `StoreStopped` when the
    /// outcome is unknown or the caller stopped before the append.
    public func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        let doubt: PostgresError
        do {
            return try appendOnce(batches)
        } catch let error as PostgresError where error.outcomeIsUnknown {
            doubt = error
        } catch let error as PostgresError where error.kind == .readOnly {
            // The next call finds the server that takes writes.
            close()
            throw error
        }
        onTrouble(doubt)
        // The statement is never cancelled: if it waits for a synchronous standby, a cancelled wait would show events
        // that the standby may lack.
        close()
        while true {
            do {
                return try perform { try LogWriter().resolveInDoubt(batches, on: $0) }
            } catch let error as PostgresError where error.kind == .lockNotAvailable {
                // The transaction of the lost connection still runs: it waits for its standby, for one.
                onTrouble(error)
                if isStopping() { throw StoreStopped() }
            }
        }
    }

    private func appendOnce(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        // When the locks were lost with their connection, nothing was written: it is an append like any other.
        guard holdsLocks, let current, current.isUsable else { return try LogWriter().append(batches, on: usable()) }
        holdsLocks = false
        return try LogWriter().commitLocked(batches, on: current)
    }

    /// Returns when a commit that waits, as PostgreSQL's settings say, for the disk and for a synchronous standby has
    /// succeeded, and the log holds `anchors`. Everything that was seen before the call is then as durable as that
    /// commit. Throws `LogTruncated`, `StoreStopped`, `PostgresError`.
    public func confirm() throws {
        try perform { connection in
            _ = try connection.query(Queries.commitPulse)
            try LogReader().verify(anchors(), on: connection)
        }
    }

    public func heads(of partitions: [Partition]) throws -> [PartitionHead] {
        try perform { try LogReader().heads(of: partitions, on: $0) }
    }

    public func timedHeads(of partitions: [Partition]) throws -> TimedHeads {
        try perform {
            let look = try LogReader().timedHeads(of: partitions, on: $0)
            // Another server may be the primary by now, and this one shows what was.
            guard !look.isReadOnly else { throw PostgresError(kind: .readOnly, message: "the database is read-only") }
            return look
        }
    }

    public func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent] {
        try perform { try LogReader().events(partition: partition, from: offset, limit: limit, on: $0) }
    }

    /// Those of the heads that the log led through: it holds the last event of each. A head of an empty partition is
    /// none of them.
    public func held(of heads: [PartitionHead]) throws -> Set<PartitionHead> {
        try perform { try LogReader().held(of: heads, on: $0) }
    }

    public func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID? {
        try perform { try LogReader().event(of: user, partition: partition, at: version, on: $0) }
    }

    public func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange] {
        try perform { try LogReader().users(partition: partition, in: range, on: $0) }
    }

    /// Verifies `anchors` on the connection that there is: a pooler may change servers behind it, and then no new
    /// connection is made. Throws `LogTruncated`.
    public func verifyAnchors() throws {
        try perform { try LogReader().verify(anchors(), on: $0) }
    }

    /// What `ask` finds on a server that holds these events. Where it finds less than the log has, it asks once more over
    /// a new connection, which verifies them: the server may have been left behind, and go on answering those who only
    /// read. Throws what `ask` throws, and `LogTruncated` when no server that can be reached holds the events.
    public func asking<Answer>(_ anchors: [Partition: LogAnchor], _ ask: () throws -> Answer) throws -> Answer {
        self.anchors = { anchors }
        do {
            return try ask()
        } catch  where error is LogTruncated || error is EventStoreError {
            close()
            return try ask()
        }
    }

    /// The timeline that the server writes (`Timeline`).
    public func timeline() throws -> Timeline {
        try perform { try LogReader().timeline(on: $0) }
    }

    /// The log's format by now (`LogIdentity.format`).
    public func logFormat() throws -> Int32 {
        try perform { try LogIdentity.read(on: $0).format }
    }

    // MARK: Read model

    /// Loads the first of the users, as many as `UserLoader.loadSome` loads at once: one at least, unless there are
    /// none. Who cannot be loaded is a `.failure` of their own.
    public func load(_ users: [(Partition, UserID)]) throws -> [UserID: Result<LoadedUser, any Error>] {
        let loaded = try loadEach(users[...])
        for case .success(let user) in loaded.values { generations[user.head.partition] = user.head.generation }
        return loaded
    }

    /// Loads the users with one statement; where that fails for what their rows are, each half with one of its own. So a
    /// user who cannot be loaded is found, and takes nobody along.
    private func loadEach(_ users: ArraySlice<(Partition, UserID)>) throws -> [UserID: Result<LoadedUser, any Error>] {
        do {
            return try perform {
                let loaded = try UserLoader(rules: configuration.rules)
                    .loadSome(Array(users), assuming: generations, on: $0)
                guard !loaded.isEmpty || users.isEmpty else {
                    throw EventStoreError.corrupt("a user's partition is not in log_partitions")
                }
                return loaded
            }
        } catch let error as PostgresError where error.mayConcernOneRow && !users.isEmpty {
            guard users.count > 1 else { return [users[users.startIndex].1: .failure(error)] }
            let half = users.startIndex + users.count / 2
            return try loadEach(users[..<half]).merging(loadEach(users[half...])) { $1 }
        }
    }

    /// What `AudienceReader` finds. Throws `EventStoreError.noGeneration` when the generation was dropped.
    public func audiences(_ entries: [AudienceEntry], generation: Int32) throws -> FoundAudiences {
        try performShown(generation) { try AudienceReader().find(entries, generation: generation, on: $0) }
    }

    /// The users that `DueReader` finds. Throws `EventStoreError.noGeneration` when the generation was dropped.
    public func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        try performShown(generation) {
            try DueReader().users(after: places, until: until, limit: limit, generation: generation, on: $0)
        }
    }

    /// The checkpoints of partitions in the generations that their heads name. Throws `EventStoreError.noGeneration`
    /// when one of them was dropped.
    public func checkpoints(of heads: [PartitionHead]) throws -> [Partition: Checkpoint] {
        var checkpoints: [Partition: Checkpoint] = [:]
        for (generation, heads) in Dictionary(grouping: heads, by: \.generation) {
            let found = try performShown(generation) {
                try ProjectionWriter().checkpoints(of: heads.map(\.partition), generation: generation, on: $0)
            }
            checkpoints.merge(found) { $1 }
        }
        return checkpoints
    }

    /// Users of a partition whose rows are different in a generation from what they were in the one shown before it.
    /// Nil when that is not known, when there are 100,000 or more, or when one of the two is of another fold.
    public func changedUsers(of partition: Partition, from before: Int32, to generation: Int32) throws -> Set<UserID>? {
        try changedUsers(of: partition, from: before, to: generation, limit: 100_000)
    }

    /// - Parameter limit: the answer is nil when the statement returns this many rows.
    func changedUsers(
        of partition: Partition, from before: Int32, to generation: Int32, limit: Int
    ) throws -> Set<UserID>? {
        let result = try perform {
            try $0.query(
                Queries.findChangedUsers,
                [
                    .int4(partition.rawValue), .int4(before), .int4(generation), .int4(configuration.rules.version),
                    .int8(Int64(limit)),
                ])
        }
        guard (1..<limit).contains(result.rowCount) else { return nil }
        var users: Set<UserID> = []
        for row in 0..<result.rowCount where !result.isNull(row: row, column: 0) {
            users.insert(UserID(try result.uuid(row: row, column: 0)))
        }
        return users
    }

    func performShown<T>(_ generation: Int32, _ body: (PostgresConnection) throws -> T) throws -> T {
        do {
            return try perform(body)
        } catch let error as PostgresError where error.isUndefinedTable {
            throw EventStoreError.noGeneration(generation)
        }
    }

    /// Writes the batch as `ProjectionWriter` does. An error that another attempt would meet as well, because it is
    /// about what the rows hold, is the outcome `refused`.
    public func write(_ batch: ProjectionBatch) throws -> ProjectionOutcome {
        do {
            return try perform { try ProjectionWriter(rules: configuration.rules).write(batch, on: $0) }
        } catch let error as PostgresError where error.isAboutValues {
            return .refused("\(error)")
        }
    }

    // MARK: Connection

    /// Runs `body`, and runs it again whenever the connection is lost in the middle, or reaches a database that takes
    /// no writes: it must be safe to run twice. What was given up is cancelled.
    func perform<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
        // Locks are not to be held while something else is waited for.
        unlock()
        // It backs off here too: a pooler accepts connections while its server is away, and fails every statement at
        // once.
        var backoff = Backoff(base: .milliseconds(20), cap: .seconds(1))
        var patience = 1
        while true {
            let connection = try usable()
            let silenceLimit = connection.silenceLimit
            connection.silenceLimit = silenceLimit.map { $0 * patience }
            defer { connection.silenceLimit = silenceLimit }
            do {
                return try body(connection)
            } catch let error as PostgresError where Self.mayBeRepeated(error) {
                if connection.isAbandoned {
                    connection.cancellation.request()
                    // A statement that takes longer than silence is borne would otherwise never come to its end.
                    patience = min(patience * 2, 1_024)
                }
                onTrouble(error)
                close()
                try pause(for: backoff.next())
            }
        }
    }

    private static func mayBeRepeated(_ error: PostgresError) -> Bool {
        error.outcomeIsUnknown || error.kind == .shuttingDown || error.kind == .readOnly
    }

    /// Waits before another attempt.
    private func pause(for duration: Duration) throws {
        let end = Deadline.after(seconds: duration / .seconds(1))
        repeat {
            whileWaiting()
            if isStopping() { throw StoreStopped() }
            min(end, .after(seconds: 0.1)).sleep()
        } while !end.isPassed
    }

    private func usable() throws -> PostgresConnection {
        if let current, current.isUsable { return current }
        close()
        var backoff = Backoff(base: .milliseconds(20), cap: .seconds(1))
        while true {
            do {
                let made = try configuration.connect { [unowned self] in whileWaiting() }
                do {
                    try LogReader().verify(anchors(), on: made)
                } catch {
                    made.close()
                    throw error
                }
                current = made
                connectionNumber += 1
                return made
            } catch let error as PostgresError {
                onTrouble(error)
                try pause(for: backoff.next())
            }
        }
    }
}

extension PostgresError {
    /// Whether a statement may have failed for a single row: one that cannot be read, or makes a result larger than
    /// PostgreSQL or libpq take.
    fileprivate var mayConcernOneRow: Bool {
        switch kind {
        case .invalidData, .insufficientResources, .decoding, .usage, .other: true
        case .connectionLost, .cannotConnect, .shuttingDown, .tooManyConnections, .timeout, .cancelled,
            .lockNotAvailable, .serializationFailure, .replicationUnconfirmed, .uniqueViolation, .constraintViolation,
            .insufficientPrivilege, .readOnly, .raised, .syntax, .transactionAborted:
            false
        }
    }
}
