import EventStore
import FocusCore
import Foundation
import Logging
import PostgresClient
import Synchronization

/// What became of a batch, for the lane that made it.
struct ProjectionReport: Sendable {
    var checkpoint: LogOffset
    /// Each user's last offset in the batch, and the rows that were in it.
    var users: [UserID: (offset: LogOffset, keys: Set<RowKey>)]
    var generation: Int32
    var isWritten = false
}

/// Writes a lane's changed rows to the read model, on a thread and a connection of its own, so that no append waits for
/// it. The read model may lag behind the log; it is never wrong (architecture.md §2).
final class Projector: Sendable {
    private struct Work: Sendable {
        var batch: ProjectionBatch?
        var report: ProjectionReport?
    }

    private let mailbox = Mailbox<Work>()
    private let thread: Mutex<PostgresThread?> = Mutex(nil)
    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private let report: @Sendable (Partition, ProjectionReport) -> Void

    init(
        configuration: PostgresConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (Partition, ProjectionReport) -> Void
    ) {
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
        self.report = report
    }

    func start() {
        thread.withLock { $0 = PostgresThread(name: "projector") { [self] in run() } }
    }

    func post(_ batch: ProjectionBatch, _ report: ProjectionReport) {
        mailbox.post(Work(batch: batch, report: report))
    }

    /// Ends the thread; what waits is not written: the log has it.
    func stop() {
        mailbox.post(Work(batch: nil, report: nil))
        thread.withLock { $0 }?.join()
    }

    private func run() {
        let database = LaneDatabase(configuration: configuration, logger: logger, isStopping: isStopping)
        defer { database.drop() }
        while true {
            for work in mailbox.take(until: .distantFuture) {
                guard let batch = work.batch, var result = work.report else { return }
                guard !isStopping() else { return }
                result.isWritten = write(batch, database)
                FaultPoint.pass(.projected)
                report(batch.partition, result)
            }
        }
    }

    private func write(_ batch: ProjectionBatch, _ database: LaneDatabase) -> Bool {
        do {
            switch try database.perform({ try ProjectionWriter().write(batch, on: $0) }) {
            case .written: return true
            case .busy, .otherGeneration: return false
            }
        } catch {
            logger.error(
                "projection failed", metadata: ["partition": "\(batch.partition)", "error": "\(error)"])
            return false
        }
    }
}
