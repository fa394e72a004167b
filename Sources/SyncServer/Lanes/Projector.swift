import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers

/// Writes a lane's batches to the read model, on a thread and a connection of its own, so that no append waits for it.
/// The read model may lag behind the log; it is never wrong.
final class Projector: Sendable {
    /// A batch and its report; without them the thread ends.
    private struct Work: Sendable {
        var batch: ProjectionBatch?
        var report: ProjectionReport?
    }

    /// A partition has one batch under way, which bounds what waits here.
    private let mailbox = Mailbox<Work>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let configuration: StoreConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private let report: @Sendable (Partition, ProjectionReport) -> Void

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the projector's thread when it is done with a batch.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (Partition, ProjectionReport) -> Void
    ) {
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
        self.report = report
    }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: "projector") { [self] in run() } }
    }

    func post(_ batch: ProjectionBatch, _ report: ProjectionReport) {
        mailbox.post(Work(batch: batch, report: report))
    }

    /// Ends the thread. Batches that wait are not written, and nothing is lost by that: the log has their events.
    func stop() {
        mailbox.post(Work(batch: nil, report: nil))
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        let logger = logger
        let store = StoreConnection(
            configuration.withAsynchronousCommit, isStopping: isStopping,
            onTrouble: { logger.warning("projector lacks the database", metadata: ["error": "\($0)"]) })
        defer { store.close() }
        while true {
            for work in mailbox.take() {
                guard let batch = work.batch, var result = work.report else { return }
                guard !isStopping() else { return }
                result.result = write(batch, store)
                FaultPoint.pass(.projected)
                report(batch.partition, result)
            }
        }
    }

    private func write(_ batch: ProjectionBatch, _ store: StoreConnection) -> ProjectionResult {
        do {
            switch try store.write(batch) {
            case .written(let missing, let checkpoint): return .written(missing: missing, checkpoint: checkpoint)
            case .fellBack(let checkpoint): return .fellBack(to: checkpoint)
            case .busy, .otherGeneration, .otherLog: return .failed
            }
        } catch {
            logger.error(
                "projection failed", metadata: ["partition": "\(batch.partition)", "error": "\(error)"])
            return .failed
        }
    }
}
