import FocusCore
import PostgresClient

/// One thread's connection to the log and the read model. It is made when needed and made again when lost; a call waits
/// until the database answers. Confined to the thread that uses it.
///
/// A call that may run twice is repeated after a lost connection; an append in doubt is first looked up.
public final class StoreConnection {
    let configuration: StoreConfiguration
    let isStopping: @Sendable () -> Bool
    private let onTrouble: @Sendable (PostgresError) -> Void
    private let access: StoreAccess
    private var current: (any LogConnection)?
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
    public convenience init(
        _ configuration: StoreConfiguration, isStopping: @escaping @Sendable () -> Bool,
        onTrouble: @escaping @Sendable (PostgresError) -> Void
    ) {
        self.init(configuration, .postgres(configuration), isStopping: isStopping, onTrouble: onTrouble)
    }

    init(
        _ configuration: StoreConfiguration, _ access: StoreAccess, isStopping: @escaping @Sendable () -> Bool,
        onTrouble: @escaping @Sendable (PostgresError) -> Void
    ) {
        self.configuration = configuration
        self.access = access
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
        let locked = try perform { try $0.lock(behind: known, limit: limit) }
        holdsLocks = true
        return locked
    }

    /// Gives up what `lock` has locked, if it still is: nothing is written.
    public func unlock() {
        guard holdsLocks else { return }
        holdsLocks = false
        current?.rollBack()
    }

    /// Appends with one statement; while partitions are locked, in their transaction, which ends. When its commit is in
    /// doubt, the log is asked on a new connection, for as long as it takes: the outcomes are certain. Throws
    /// `PostgresError` when nothing was written, `StoreStopped` when the outcome is unknown or the caller stopped
    /// before the append.
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
                return try perform { try $0.resolveInDoubt(batches) }
            } catch let error as PostgresError where error.kind == .lockNotAvailable {
                // The transaction of the lost connection still runs: it waits for its standby, for one.
                onTrouble(error)
                if isStopping() { throw StoreStopped() }
            }
        }
    }

    private func appendOnce(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        // When the locks were lost with their connection, nothing was written: it is an append like any other.
        guard holdsLocks, let current, current.isUsable else { return try usable().append(batches) }
        holdsLocks = false
        return try current.commitLocked(batches)
    }

    /// Returns when a commit that waits, as PostgreSQL's settings say, for the disk and for a synchronous standby has
    /// succeeded, and the log holds `anchors`. Everything that was seen before the call is then as durable as that
    /// commit. Throws `LogTruncated`, `StoreStopped`, `PostgresError`.
    public func confirm() throws {
        try perform { connection in
            try connection.commitPulse()
            try connection.verify(anchors())
        }
    }

    public func heads(of partitions: [Partition]) throws -> [PartitionHead] {
        try perform { try $0.timedHeads(of: partitions).heads }
    }

    public func timedHeads(of partitions: [Partition]) throws -> TimedHeads {
        try perform {
            let look = try $0.timedHeads(of: partitions)
            // Another server may be the primary by now, and this one shows what was.
            guard !look.isReadOnly else { throw PostgresError(kind: .readOnly, message: "the database is read-only") }
            return look
        }
    }

    public func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent] {
        try perform { try $0.events(partition: partition, from: offset, limit: limit) }
    }

    /// Those of the heads that the log led through: it holds the last event of each. A head of an empty partition is
    /// none of them.
    public func held(of heads: [PartitionHead]) throws -> Set<PartitionHead> {
        try perform { try $0.held(of: heads) }
    }

    /// See `LogReader.events(of:partition:after:limit:on:)`.
    public func events(
        of user: UserID, partition: Partition, after version: Version, limit: Int
    ) throws -> [LoggedEvent] {
        try perform { try $0.events(of: user, partition: partition, after: version, limit: limit) }
    }

    public func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID? {
        try perform { try $0.event(of: user, partition: partition, at: version) }
    }

    /// What stands at places of a device (`PlaceReader`). Throws `EventStoreError.noGeneration` when the question's
    /// generation was dropped.
    public func places(_ question: PlaceQuestion) throws -> FoundPlaces {
        try performShown(question.generation) { try $0.places(question) }
    }

    public func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange] {
        try perform { try $0.users(partition: partition, in: range) }
    }

    /// Verifies `anchors` on the connection that there is: a pooler may change servers behind it, and then no new
    /// connection is made. Throws `LogTruncated`.
    public func verifyAnchors() throws {
        try perform { try $0.verify(anchors()) }
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
        try perform { try $0.timeline() }
    }

    /// The log's format by now (`LogIdentity.format`).
    public func logFormat() throws -> Int32 {
        try perform { try $0.logFormat() }
    }

    // MARK: Read model

    /// Loads the first of the users, as many as `UserLoader.loadSome` loads at once: one at least, unless there are
    /// none. Who cannot be loaded is a `.failure` of their own.
    public func load(_ users: [(Partition, UserID)]) throws -> [UserID: Result<LoadedUser, any Error>] {
        let loaded = try loadEach(users[...])
        for case .success(let user) in loaded.values { generations[user.head.partition] = user.head.generation }
        return loaded
    }

    /// Finds the users, as `load` does, but gives an outline of those whose cursors are all at the end of the user's
    /// stream or of an app's, where the read model is enough for one.
    /// - Parameter cursors: those of the users of whom an outline may do.
    public func find(_ users: [(Partition, UserID)], cursors: [UserID: [Cursor]]) throws -> FoundUsers {
        let outlines = try outlines(users.filter { cursors[$0.1] != nil }).filter { user, outline in
            cursors[user, default: []].allSatisfy { outline.state.ends(at: $0) }
        }
        for outline in outlines.values { generations[outline.head.partition] = outline.head.generation }
        let others = users.filter { outlines[$0.1] == nil }
        return FoundUsers(loaded: others.isEmpty ? [:] : try load(others), outlines: outlines)
    }

    private func outlines(_ users: [(Partition, UserID)]) throws -> [UserID: UserOutline] {
        guard !users.isEmpty else { return [:] }
        do {
            return try perform { try $0.lookUp(users, assuming: generations, rules: configuration.rules) }
        } catch let error as PostgresError where error.mayConcernOneRow {
            // A load finds out whom it concerns.
            return [:]
        }
    }

    /// Loads the users with one statement; where that fails for what their rows are, each half with one of its own. So a
    /// user who cannot be loaded is found, and takes nobody along.
    private func loadEach(_ users: ArraySlice<(Partition, UserID)>) throws -> [UserID: Result<LoadedUser, any Error>] {
        do {
            return try perform {
                let loaded = try $0.load(Array(users), assuming: generations, rules: configuration.rules)
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
        try performShown(generation) { try $0.audiences(entries, generation: generation) }
    }

    /// The users that `DueReader` finds. Throws `EventStoreError.noGeneration` when the generation was dropped.
    public func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        try performShown(generation) {
            try $0.dueUsers(after: places, until: until, limit: limit, generation: generation)
        }
    }

    /// The checkpoints of partitions in the generations that their heads name. Throws `EventStoreError.noGeneration`
    /// when one of them was dropped.
    public func checkpoints(of heads: [PartitionHead]) throws -> [Partition: Checkpoint] {
        var checkpoints: [Partition: Checkpoint] = [:]
        for (generation, heads) in Dictionary(grouping: heads, by: \.generation) {
            let found = try performShown(generation) {
                try $0.checkpoints(of: heads.map(\.partition), generation: generation)
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
        try perform {
            try $0.changedUsers(
                of: partition, from: before, to: generation, rules: configuration.rules, limit: limit)
        }
    }

    private func performShown<T>(_ generation: Int32, _ body: (any LogConnection) throws -> T) throws -> T {
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
            return try perform { try $0.write(batch, rules: configuration.rules) }
        } catch let error as PostgresError where error.isAboutValues {
            return .refused("\(error)")
        }
    }

    // MARK: Connection

    /// Runs `body`, and runs it again whenever the connection is lost in the middle, or reaches a database that takes
    /// no writes: it must be safe to run twice. What was given up is cancelled.
    private func perform<T>(_ body: (any LogConnection) throws -> T) throws -> T {
        // Locks are not to be held while something else is waited for.
        unlock()
        // It backs off here too: a pooler accepts connections while its server is away, and fails every statement at
        // once.
        var backoff = makeBackoff()
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
                    connection.requestCancellation()
                    // A statement that takes longer than silence is borne would otherwise never come to its end.
                    patience = min(patience * 2, 1_024)
                }
                onTrouble(error)
                close()
                try pause(for: backoff.next())
            }
        }
    }

    /// As `perform`, for what a server's lanes never ask, or what has no effect.
    func performOnPostgres<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
        try perform { connection in
            guard let connection = connection as? PostgresConnection else {
                throw PostgresError(kind: .usage, message: "the connection is not PostgreSQL's")
            }
            return try body(connection)
        }
    }

    private static func mayBeRepeated(_ error: PostgresError) -> Bool {
        error.outcomeIsUnknown || error.kind == .shuttingDown || error.kind == .readOnly
    }

    /// Waits before another attempt.
    private func pause(for duration: Duration) throws {
        var left = duration
        repeat {
            whileWaiting()
            if isStopping() { throw StoreStopped() }
            access.sleep(min(left, .milliseconds(100)))
            left -= .milliseconds(100)
        } while left > .zero
    }

    private func makeBackoff() -> Backoff {
        Backoff(base: .milliseconds(20), cap: .seconds(1), fraction: access.fraction)
    }

    private func usable() throws -> any LogConnection {
        if let current, current.isUsable { return current }
        close()
        var backoff = makeBackoff()
        while true {
            do {
                let made = try access.connect { [unowned self] in whileWaiting() }
                do {
                    try made.verify(anchors())
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
        case .invalidData, .decoding, .usage, .other: true
        case .insufficientResources: isProgramLimit
        case .connectionLost, .cannotConnect, .shuttingDown, .tooManyConnections, .timeout, .cancelled,
            .lockNotAvailable, .serializationFailure, .replicationUnconfirmed, .uniqueViolation, .constraintViolation,
            .insufficientPrivilege, .readOnly, .raised, .syntax, .transactionAborted:
            false
        }
    }
}
