import EventStore
import FocusCore

/// What works beside a lane, each on a thread of its own, and all but the folder over a connection of their own.
struct LaneServices {
    let projector: any LaneProjector
    let loader: any LaneLoader
    let fetcher: any LaneFetcher
    let placeFinder: any LanePlaceFinder
    let folder: any LaneFolder

    func start() {
        folder.start()
        projector.start()
        loader.start()
        fetcher.start()
        placeFinder.start()
    }

    func stop() {
        projector.stop()
        loader.stop()
        fetcher.stop()
        placeFinder.stop()
        folder.stop()
    }
}

/// Writes a lane's batches to the read model, and posts to the lane what became of each.
protocol LaneProjector: AnyObject {
    func start()
    func post(_ batch: ProjectionBatch, _ report: ProjectionReport)
    func stop()
}

extension Projector: LaneProjector {}

/// Loads users and asks for audiences, and posts the answers to the lane.
protocol LaneLoader: AnyObject {
    func start()
    func post(_ question: LoadQuestion)
    func post(_ question: AudienceQuestion)
    func stop()
}

extension Loader: LaneLoader {}

/// Reads the points of finished routes, and posts the answers to the lane.
protocol LaneFetcher: AnyObject {
    func start()
    func post(_ work: FetchWork)
    func stop()
}

extension Fetcher: LaneFetcher {}

/// Looks up what the log holds at earlier places of devices, and posts to the lane what it finds.
protocol LanePlaceFinder: AnyObject {
    func start()
    func post(_ question: PlaceQuestion, session: UInt64)
    func stop()
}

extension PlaceFinder: LanePlaceFinder {}

/// Folds dear events, and posts the states to the lane; frees states that nobody needs any more.
protocol LaneFolder: AnyObject {
    func start()
    func post(_ task: FoldTask)
    func discard(_ states: [UserState])
    func stop()
}

extension Folder: LaneFolder {}
