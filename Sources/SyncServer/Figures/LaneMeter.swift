import EventStore
import FocusCore

/// Counts what a lane does. Confined to the lane's thread: nothing of it is locked or atomic, and who wants to know asks
/// the lane for a copy (`LaneRequest.figures`).
final class LaneMeter {
    var counts = LaneCounts()
    private let clock: @Sendable () -> PreciseTime

    var now: PreciseTime { clock() }

    init(_ clock: @escaping @Sendable () -> PreciseTime = { PreciseTime(microseconds: 0) }) { self.clock = clock }

    /// Counts a statement that appends, and what it answers.
    /// - Parameters:
    ///   - began: when the statement began; what it carries had been staged by then.
    ///   - ended: when the database had answered.
    func committed(_ staging: AppendStaging, _ report: CommitReport, began: PreciseTime, ended: PreciseTime) {
        if !staging.batches.isEmpty, !report.isFailed {
            counts.committing.add(microseconds: ended - began)
            for batch in staging.batches.values where report.isSettled(batch.partition) {
                counts.events += batch.events.count
                for event in batch.events { counts.payloadBytes += event.payload.count }
            }
        }
        for answer in staging.answers where answer.rest == nil && report.isSettled(answer.partition) {
            if let arrival = answer.append.request.arrivedAt { counts.queueing.add(microseconds: began - arrival) }
        }
    }

    /// Counts what a device is told of its frame.
    func answered(_ answer: AppendStaging.Answer) {
        counts.frames += 1
        for refused in answer.appended?.refused ?? [] { counts.refusals[refused.code, default: 0] += 1 }
        if let error = answer.error { counts.errors[error.code, default: 0] += 1 }
    }

    /// Counts answers and rows that leave the lane now.
    /// - Parameters:
    ///   - arrivals: when the frames of the answers had arrived.
    ///   - news: when the lane had heard of what the rows tell.
    func left(arrivals: [PreciseTime], news: [PreciseTime]) {
        let now = now
        for arrival in arrivals { counts.acknowledging.add(microseconds: now - arrival) }
        for time in news { counts.delivering.add(microseconds: now - time) }
    }

    /// Counts a batch for the read model that the projector is done with.
    func projected(_ result: ProjectionResult) {
        switch result {
        case .written: counts.projections += 1
        case .checkpointRegressed, .failed, .refused: counts.failedProjections += 1
        }
    }
}
