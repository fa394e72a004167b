import FocusCore
import NIOConcurrencyHelpers
import PostgresClient

/// What the workers of a rebuild share: the partitions that are left, the progress of all workers, and their results.
final class RebuildWork: Sendable {
    private struct State {
        var waiting: [RebuildPlace]
        var prepared: [RebuildPlace] = []
        var done: [RebuildProgress.Stage: Int] = [:]
        var totals: [RebuildProgress.Stage: Int] = [:]
        var outcomes: [CutOver.Outcome] = []
        var isStopped = false
    }

    private let state: NIOLockedValueBox<State>
    private let report: @Sendable (RebuildProgress) -> Void

    init(places: [RebuildPlace], events: Int, report: @escaping @Sendable (RebuildProgress) -> Void) {
        self.report = report
        // The largest partition comes first. A few users may have most of the log: if their partition came last, one
        // worker would work on it long after all others have ended.
        var state = State(waiting: places.sorted { ($0.eventsLeft, $1.partition) < ($1.eventsLeft, $0.partition) })
        state.totals[.filling] = events
        state.totals[.cuttingOver] = places.count
        state.done[.cuttingOver] = places.count { $0.phase == .done }
        state.done[.filling] = places.reduce(0) {
            $0 + Int($1.phase == .filling ? $1.events : $1.through.rawValue)
        }
        self.state = NIOLockedValueBox(state)
    }

    /// The next partition; nil when none is left or a worker failed.
    func dequeue() -> RebuildPlace? {
        state.withLockedValue { $0.isStopped ? nil : $0.waiting.popLast() }
    }

    func finishPreparing(_ place: RebuildPlace) { state.withLockedValue { $0.prepared.append(place) } }

    func beginCutOver() {
        state.withLockedValue { $0.waiting = $0.prepared.sorted { $0.partition > $1.partition } }
    }

    /// Makes all other workers end after the transaction that they are in.
    func stop() { state.withLockedValue { $0.isStopped = true } }

    var isStopped: Bool { state.withLockedValue { $0.isStopped } }

    func record(_ outcome: CutOver.Outcome) {
        state.withLockedValue { $0.outcomes.append(outcome) }
        advance(.cuttingOver, by: 1)
    }

    /// Adds the users of a partition to the total of a stage.
    func expect(_ users: Int, in stage: RebuildProgress.Stage) {
        state.withLockedValue { $0.totals[stage, default: 0] += users }
    }

    func advance(_ stage: RebuildProgress.Stage, by count: Int) {
        state.withLockedValue { state in
            state.done[stage, default: 0] += count
            report(
                RebuildProgress(
                    stage: stage, done: state.done[stage, default: 0],
                    total: max(state.totals[stage, default: 0], state.done[stage, default: 0])))
        }
    }

    func summary(_ target: Generation, _ previous: [Int32], _ events: Int64) -> RebuildReport {
        state.withLockedValue { state in
            var report = RebuildReport(
                generation: target.number, previous: Set(previous).subtracting([target.number]), events: events)
            for outcome in state.outcomes {
                report.usersChanged += outcome.users
                report.rowsChanged += outcome.rows
                report.eventsAppended += outcome.events
            }
            report.locked = state.outcomes.map(\.locked).sorted()
            return report
        }
    }
}

/// The first error of several threads.
final class Failure: Sendable {
    private let first = NIOLockedValueBox<(any Error)?>(nil)

    /// Keeps the first error. Another one replaces `RebuildStopped`, which does not say why a worker stopped.
    func record(_ error: any Error) {
        first.withLockedValue { if $0 == nil || $0 is RebuildStopped { $0 = error } }
    }

    var error: (any Error)? { first.withLockedValue { $0 } }
}

extension RebuildPlace {
    /// How many events are still to be filled in.
    fileprivate var eventsLeft: Int64 { phase == .filling ? through.rawValue - events : 0 }

    /// How many events a rebuild filled in from the log; zero for a rollback.
    static func eventCount(_ places: [RebuildPlace]) -> Int64 { places.reduce(0) { $0 + $1.events } }
}
