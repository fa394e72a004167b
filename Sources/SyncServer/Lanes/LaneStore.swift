import EventStore
import FocusCore

/// The log and the read model as a lane asks for them. The server has `StoreConnection`, whose members of the same
/// names say what each means and throws, and so has the simulation, over connections that fail as its seed says. Tests
/// of a lane's parts have a log that is a list.
///
/// A call waits until the database answers. Any call may throw `StoreStopped`, and `LogTruncated` when the log lacks
/// one of `anchors`.
protocol LaneStore: AnyObject {
    /// The events that the log must hold.
    var anchors: () -> [Partition: LogAnchor] { get set }
    func verifyAnchors() throws
    func timeline() throws -> Timeline
    /// Locks partitions until `append` or `unlock`: nobody else appends to them. No other call may come in between.
    func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition]
    func unlock()
    /// Appends with one statement; to locked partitions alone, where some are. The outcomes are certain, or it throws.
    func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome]
    /// Called on the lane's thread again and again while a call waits for the database. It makes no call itself.
    var whileWaiting: () -> Void { get set }
    /// Changes with each new connection: what a commit confirmed holds for the connection that it came over.
    var connectionNumber: Int { get }
    /// Makes a commit that waits as an append does. Everything that was seen before the call is then as durable as it.
    func confirm() throws
    func heads(of partitions: [Partition]) throws -> [PartitionHead]
    func timedHeads(of partitions: [Partition]) throws -> TimedHeads
    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent]
    func events(of user: UserID, partition: Partition, after version: Version, limit: Int) throws -> [LoggedEvent]
    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID?
    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange]
    func held(of heads: [PartitionHead]) throws -> Set<PartitionHead>
    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser]
    func logFormat() throws -> Int32
    func checkpoints(of heads: [PartitionHead]) throws -> [Partition: Checkpoint]
    func changedUsers(of partition: Partition, from before: Int32, to generation: Int32) throws -> Set<UserID>?
    func close()
}

extension StoreConnection: LaneStore {}
