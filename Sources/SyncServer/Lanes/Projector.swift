import EventStore
import FocusCore
import Logging

/// Writes a lane's batches to the read model, beside the lane, so that no append waits for it. The read model may lag
/// behind the log; it is never wrong.
final class Projector: Sendable {
    private struct Work: Sendable {
        var batch: ProjectionBatch
        var report: ProjectionReport
    }

    private let thread: StoreThread<Work>

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the projector's thread when it is done with a batch.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (Partition, ProjectionReport) -> Void
    ) {
        thread = StoreThread(
            "projector", configuration.withAsynchronousCommit, priority: .background, logger: logger,
            isStopping: isStopping
        ) { work, store in
            var result = work.report
            result.result = Self.write(work.batch, store, logger)
            FaultPoint.pass(.projected)
            report(work.batch.partition, result)
        }
    }

    func start() { thread.start() }

    func post(_ batch: ProjectionBatch, _ report: ProjectionReport) {
        thread.post(Work(batch: batch, report: report))
    }

    /// Ends the thread. Batches that wait are not written, and nothing is lost by that: the log has their events.
    func stop() { thread.stop() }

    private static func write(
        _ batch: ProjectionBatch, _ store: StoreConnection, _ logger: Logger
    ) -> ProjectionResult {
        do {
            switch try store.write(batch) {
            case .written(let missing, let checkpoint): return .written(missing: missing, checkpoint: checkpoint)
            case .checkpointRegressed: return .checkpointRegressed
            case .busy, .otherGeneration, .otherLog: return .failed
            case .refused(let reason):
                logger.error(
                    "projection refused", metadata: ["partition": "\(batch.partition)", "error": "\(reason)"])
                return .refused
            }
        } catch {
            logger.error(
                "projection failed", metadata: ["partition": "\(batch.partition)", "error": "\(error)"])
            return .failed
        }
    }
}
