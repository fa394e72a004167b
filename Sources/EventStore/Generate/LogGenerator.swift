import FocusCore
import NIOConcurrencyHelpers
import PostgresClient

/// Writes a generated log into a database.
///
/// Flow: partitions are handed to threads → each makes its partition's events in order, folding every one → COPY of
/// some thousands at a time, each in a transaction of its own. What stands in the log depends on the plan and the
/// number of partitions alone, not on threads or batches.
public struct LogGenerator: Sendable {
    /// Events of one transaction; it may have a few more, because a frame is not divided.
    static let batch = 8_192

    private let configuration: StoreConfiguration
    private let plan: LogPlan

    public init(_ plan: LogPlan, into configuration: StoreConfiguration) {
        self.plan = plan
        self.configuration = configuration
    }

    private struct Work {
        var heads: [PartitionHead]
        var made = 0
        var failure: (any Error)?
    }

    /// Appends everything that is planned. Blocks the calling thread.
    ///
    /// Throws `LogGeneratorError`; `PostgresError`. What was committed by then stays in the log.
    /// - Parameters:
    ///   - threads: partitions made at the same time. Each holds the states of its partition's users.
    ///   - appends: false refuses a log that holds any event.
    ///   - progress: gets how many events are committed, from several threads.
    public func run(threads: Int, appends: Bool, progress: @escaping @Sendable (Int) -> Void = { _ in }) throws {
        let (log, heads) = try begin(appends: appends)
        let shares = plan.shares(partitions: log.partitions)
        let work = NIOLockedValueBox(Work(heads: heads.filter { shares[$0.partition] != nil }))
        let workers = try (0..<max(1, min(threads, heads.count))).map { _ in
            try PostgresThread(name: "generate") {
                do {
                    try makePartitions(shares, work, progress)
                } catch {
                    work.withLockedValue { $0.failure = $0.failure ?? error }
                }
            }
        }
        for worker in workers { worker.join() }
        if let failure = work.withLockedValue({ $0.failure }) { throw failure }
    }

    private func begin(appends: Bool) throws -> (LogIdentity, [PartitionHead]) {
        let connection = try PostgresConnection(configuration.postgres)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let heads = try LogReader().heads(of: log.allPartitions, on: connection)
        guard appends || heads.allSatisfy({ $0.nextOffset == .zero }) else { throw LogGeneratorError.notEmpty }
        if let last = heads.map(\.lastRecordedAt).max(), last > plan.start {
            throw LogGeneratorError.startsTooEarly(last: last)
        }
        for (partition, shares) in plan.shares(partitions: log.partitions) where appends {
            guard let first = shares.min(by: { $0.rank < $1.rank }) else { continue }
            let known = try LogReader().event(
                of: first.user, partition: partition, at: Version(1), on: connection)
            if known != nil { throw LogGeneratorError.userKnown(first.user) }
        }
        return (log, heads)
    }

    private func makePartitions(
        _ shares: [Partition: [LogPlan.Share]], _ work: NIOLockedValueBox<Work>, _ progress: @Sendable (Int) -> Void
    ) throws {
        let connection = try PostgresConnection(configuration.postgres)
        defer { connection.close() }
        if configuration.assumesRole { try SessionRole.assume(on: connection) }
        while var head = work.withLockedValue({ $0.failure == nil ? $0.heads.popLast() : nil }) {
            var maker = PartitionMaker(head.partition, plan, shares[head.partition] ?? [], from: head.nextOffset)
            var batch = PartitionAppend(behind: head, events: [])
            var isDone = false
            while !isDone {
                let events = try maker.frame()
                isDone = events.isEmpty
                batch.events += events
                guard batch.events.count >= Self.batch || isDone && !batch.events.isEmpty else { continue }
                guard try LogCopier().append(batch, on: connection) else {
                    throw LogGeneratorError.notAlone(head.partition)
                }
                let made = work.withLockedValue { work in
                    work.made += batch.events.count
                    return work.failure == nil ? work.made : nil
                }
                guard let made else { return }
                progress(made)
                if let last = batch.events.last { head.move(behind: last) }
                batch = PartitionAppend(behind: head, events: [])
            }
        }
    }
}

/// Why a log is not generated.
public enum LogGeneratorError: Error, Hashable, Sendable {
    /// The log holds events already.
    case notEmpty
    /// The log holds an event of this time, which is later than the plan's start.
    case startsTooEarly(last: Timestamp)
    /// The log holds a user of this seed.
    case userKnown(UserID)
    /// Somebody else appended to the partition meanwhile.
    case notAlone(Partition)
}
