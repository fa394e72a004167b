import FocusCore
import PostgresClient

/// What a `StoreConnection` asks over one connection. Each call is one attempt: what follows an error is decided by
/// `StoreConnection` alone. `PostgresConnection` is one; the simulation has connections that fail as its seed says.
///
/// Members that are named like those of `StoreConnection`, or of a reader or writer, do and throw what these do.
protocol LogConnection: AnyObject {
    /// False once the connection is broken or closed: another one is needed.
    var isUsable: Bool { get }
    /// Whether it was given up while an answer was due. The database may still be at work on it.
    var isAbandoned: Bool { get }
    /// How long the next byte of an answer may take; nil: for ever.
    var silenceLimit: Duration? { get set }
    /// Has the database end what it does for this connection, and does not wait for that.
    func requestCancellation()
    func close()

    // MARK: Log

    /// Begins the transaction that `commitLocked` or `rollBack` ends; when it throws, there is none.
    func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition]
    func commitLocked(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome]
    func rollBack()
    func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome]
    func resolveInDoubt(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome]
    /// Makes a commit that waits as an append does.
    func commitPulse() throws
    func verify(_ anchors: [Partition: LogAnchor]) throws
    func timedHeads(of partitions: [Partition]) throws -> TimedHeads
    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent]
    func held(of heads: [PartitionHead]) throws -> Set<PartitionHead>
    func events(of user: UserID, partition: Partition, after version: Version, limit: Int) throws -> [LoggedEvent]
    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID?
    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange]
    func places(_ question: PlaceQuestion) throws -> FoundPlaces
    func timeline() throws -> Timeline
    func logFormat() throws -> Int32

    // MARK: Read model

    func load(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], rules: FoldRules
    ) throws -> [UserID: Result<LoadedUser, any Error>]
    func lookUp(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], rules: FoldRules
    ) throws -> [UserID: UserOutline]
    func audiences(_ entries: [AudienceEntry], generation: Int32) throws -> FoundAudiences
    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser]
    func checkpoints(of partitions: [Partition], generation: Int32) throws -> [Partition: Checkpoint]
    func changedUsers(
        of partition: Partition, from before: Int32, to generation: Int32, rules: FoldRules, limit: Int
    ) throws -> Set<UserID>?
    func write(_ batch: ProjectionBatch, rules: FoldRules) throws -> ProjectionOutcome
}

/// How a `StoreConnection` connects, and waits before it tries again.
struct StoreAccess {
    /// Connects. Its argument is called again and again while this, or a call over the connection, waits.
    var connect: (_ whileWaiting: @escaping () -> Void) throws -> any LogConnection
    /// Blocks the thread.
    var sleep: (Duration) -> Void
    /// Where in 0…1 of its bound each wait before another attempt lies.
    var fraction: @Sendable () -> Double
}
