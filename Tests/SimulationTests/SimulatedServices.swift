import EventStore
import FocusCore

@testable import SyncServer

/// A thread beside a lane with a connection of its own, as `StoreThread` is: one piece of work after the other.
final class SimulatedThread {
    let access: SimulatedAccess
    let store: StoreConnection
    private var waiting: [() -> Void] = []
    private var isBusy = false

    init(_ access: SimulatedAccess) {
        self.access = access
        store = access.makeStore()
    }

    /// Does the work now, or when what is under way is done. Work waits for the database, and the world goes on.
    func perform(_ work: @escaping () -> Void) {
        waiting.append(work)
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !waiting.isEmpty, !access.isStopping() { waiting.removeFirst()() }
    }
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

/// Folds after a while what the lane does not fold itself.
final class SimulatedFolder: LaneFolder {
    private let fold: (FoldTask) -> Void

    init(fold: @escaping (FoldTask) -> Void) { self.fold = fold }

    func start() {}
    func stop() {}
    func post(_ task: FoldTask) { fold(task) }
    func discard(_ states: [UserState]) {}
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
