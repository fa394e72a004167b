import EventStore
import FocusCore

/// The log and the read model as a lane asks for them. `StoreConnection` is the one there is; the simulation has one
/// that keeps both in memory and fails when its seed says so.
protocol LaneStore: AnyObject {
    /// See `StoreConnection.anchors`: anything may throw `LogTruncated`.
    var anchors: () -> [Partition: LogAnchor] { get set }
    func verifyAnchors() throws
    func timeline() throws -> Timeline
    /// See `StoreConnection.append`: the outcomes are certain, or it throws.
    func append(_ batches: [PartitionAppend]) throws -> [Partition: AppendOutcome]
    /// See `StoreConnection`: what it is told of commits is told over one connection.
    var connectionNumber: Int { get }
    /// Everything seen before is as safe as an append that came through; waits as that does.
    func confirm() throws
    func heads(of partitions: [Partition]) throws -> [PartitionHead]
    func look(at partitions: [Partition]) throws -> LogLook
    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent]
    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID?
    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange]
    func load(_ users: [(Partition, UserID)]) throws -> [UserID: Result<LoadedUser, any Error>]
    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser]
    func logFormat() throws -> Int32
    func checkpoints(of heads: [PartitionHead]) throws -> [Partition: LogOffset]
    func changedUsers(of partition: Partition, from before: Int32, to generation: Int32) throws -> Set<UserID>?
    func close()
}

extension StoreConnection: LaneStore {}

/// Writes what a lane hands over to the read model, and posts to the lane what became of it.
protocol LaneProjector: AnyObject {
    func start()
    func post(_ batch: ProjectionBatch, _ report: ProjectionReport)
    func stop()
}

extension Projector: LaneProjector {}

/// Reads the points of finished routes, and posts to the lane what it found.
protocol LaneFetcher: AnyObject {
    func start()
    func post(_ work: FetchWork)
    func stop()
}

extension Fetcher: LaneFetcher {}

/// Looks up what the log holds at earlier places of devices, and posts to the lane what it found.
protocol LanePlaceFinder: AnyObject {
    func start()
    func post(_ question: PlaceQuestion, session: UInt64)
    func stop()
}

extension PlaceFinder: LanePlaceFinder {}

/// What works beside a lane, each on a thread and a connection of its own.
struct LaneHelpers {
    let projector: any LaneProjector
    let fetcher: any LaneFetcher
    let placeFinder: any LanePlaceFinder

    func start() {
        projector.start()
        fetcher.start()
        placeFinder.start()
    }

    func stop() {
        projector.stop()
        fetcher.stop()
        placeFinder.stop()
    }
}
