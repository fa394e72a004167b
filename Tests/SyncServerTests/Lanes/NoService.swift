import EventStore
import FocusCore

@testable import SyncServer

/// Services of a lane that do nothing of what they are asked for.
final class NoService: LaneProjector, LaneFetcher, LanePlaceFinder, LaneFolder {
    func start() {}
    func stop() {}
    func post(_ batch: ProjectionBatch, _ report: ProjectionReport) {}
    func post(_ work: FetchWork) {}
    func post(_ question: PlaceQuestion, session: UInt64) {}
    func post(_ task: FoldTask) {}
    func discard(_ states: [UserState]) {}
}
