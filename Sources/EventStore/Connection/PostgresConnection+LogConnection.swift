import FocusCore
import PostgresClient
import Waits

extension PostgresConnection: LogConnection {
    func requestCancellation() { cancellation.request() }

    // MARK: Log

    func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition] {
        try LogWriter().lock(behind: known, limit: limit, on: self)
    }

    func commitLocked(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        try LogWriter().commitLocked(batches, on: self)
    }

    func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        try LogWriter().append(batches, on: self)
    }

    func resolveInDoubt(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        try LogWriter().resolveInDoubt(batches, on: self)
    }

    func commitPulse() throws { _ = try query(Queries.commitPulse) }

    func verify(_ anchors: [Partition: LogAnchor]) throws { try LogReader().verify(anchors, on: self) }

    func timedHeads(of partitions: [Partition]) throws -> TimedHeads {
        try LogReader().timedHeads(of: partitions, on: self)
    }

    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent] {
        try LogReader().events(partition: partition, from: offset, limit: limit, on: self)
    }

    func held(of heads: [PartitionHead]) throws -> Set<PartitionHead> { try LogReader().held(of: heads, on: self) }

    func events(
        of user: UserID, partition: Partition, after version: Version, limit: Int
    ) throws -> [LoggedEvent] {
        try LogReader().events(of: user, partition: partition, after: version, limit: limit, on: self)
    }

    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID? {
        try LogReader().event(of: user, partition: partition, at: version, on: self)
    }

    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange] {
        try LogReader().users(partition: partition, in: range, on: self)
    }

    func places(_ question: PlaceQuestion) throws -> FoundPlaces { try PlaceReader().read(question, on: self) }

    func timeline() throws -> Timeline { try LogReader().timeline(on: self) }

    func logFormat() throws -> Int32 { try LogIdentity.read(on: self).format }

    // MARK: Read model

    func load(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], rules: FoldRules
    ) throws -> [UserID: Result<LoadedUser, any Error>] {
        try UserLoader(rules: rules).loadSome(users, assuming: generations, on: self)
    }

    func lookUp(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], rules: FoldRules
    ) throws -> [UserID: UserOutline] {
        try UserLoader(rules: rules).lookUp(users, assuming: generations, on: self)
    }

    func audiences(_ entries: [AudienceEntry], generation: Int32) throws -> FoundAudiences {
        try AudienceReader().find(entries, generation: generation, on: self)
    }

    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        try DueReader().users(after: places, until: until, limit: limit, generation: generation, on: self)
    }

    func checkpoints(of partitions: [Partition], generation: Int32) throws -> [Partition: Checkpoint] {
        try ProjectionWriter().checkpoints(of: partitions, generation: generation, on: self)
    }

    func changedUsers(
        of partition: Partition, from before: Int32, to generation: Int32, rules: FoldRules, limit: Int
    ) throws -> Set<UserID>? {
        let result = try query(
            Queries.findChangedUsers,
            [
                .int4(partition.rawValue), .int4(before), .int4(generation), .int4(rules.version), .int8(Int64(limit)),
            ])
        guard (1..<limit).contains(result.rowCount) else { return nil }
        var users: Set<UserID> = []
        for row in 0..<result.rowCount where !result.isNull(row: row, column: 0) {
            users.insert(UserID(try result.uuid(row: row, column: 0)))
        }
        return users
    }

    func write(_ batch: ProjectionBatch, rules: FoldRules) throws -> ProjectionOutcome {
        try ProjectionWriter(rules: rules).write(batch, on: self)
    }
}

extension StoreAccess {
    /// PostgreSQL, and the machine's clock.
    static func postgres(_ configuration: StoreConfiguration) -> StoreAccess {
        StoreAccess(
            connect: { try configuration.connect(whileWaiting: $0) },
            sleep: { Deadline.after(seconds: $0 / .seconds(1)).sleep() }, fraction: { .random(in: 0...1) })
    }
}
