import EventStore
import FocusCore
import Logging

/// What became of an append statement.
struct CommitReport {
    /// The database refused the statement: nothing was written.
    var isFailed = false
    /// Partitions to which another server appended first: none of the statement's events for them were written.
    var behind: Set<Partition> = []
    /// Partitions whose events were written, and that show another generation than the one that they were folded on.
    var cutOver: Set<Partition> = []

    /// Partitions whose head in the log differs from the one that the lane knows.
    var outdated: Set<Partition> { behind.union(cutOver) }

    /// Whether answers about the partition's events can be given. If not, their frames are to be judged again.
    func isSettled(_ partition: Partition) -> Bool { !behind.contains(partition) }

    /// Whether all of the statement's events were written.
    var isWhole: Bool { !isFailed && behind.isEmpty }

    /// Whether the statement's events for the partition were written.
    func isLogged(_ partition: Partition) -> Bool { !isFailed && !behind.contains(partition) }

    /// Whether the states of the partition's users are what the log and the shown generation have.
    func isValid(_ partition: Partition) -> Bool { !isFailed && !outdated.contains(partition) }
}

extension LaneLog {
    /// Appends what was staged with one statement, in the transaction of `lock` if there is one. Answers that cannot be
    /// given are withdrawn: when the database refuses the statement, and when what they say of earlier events cannot be
    /// confirmed (rule P1).
    ///
    /// Throws `LogTruncated` or `StoreStopped`: then no answer may leave.
    func commit(_ staging: inout AppendStaging) throws -> CommitReport {
        if !staging.isEmpty { FaultPoint.pass(.staged) }
        var report = CommitReport()
        if staging.batches.isEmpty {
            unlock()
        } else {
            do {
                report = try append(staging.batches.values.sorted { $0.partition < $1.partition })
            } catch let error where error is StoreStopped || error is LogTruncated {
                throw error
            } catch {
                context.logger.error("append failed", metadata: ["error": "\(error)"])
                report.isFailed = true
                for index in staging.answers.indices { staging.answers[index].withdraw() }
            }
        }
        try confirm(&staging, report)
        return report
    }

    private func append(_ batches: [PartitionAppend]) throws -> CommitReport {
        // The heads before the statement: its commit confirms everything below them.
        let known = tails.known
        let outcomes = try ask { try $0.append(batches) }
        FaultPoint.pass(.committed)
        if outcomes.values.contains(where: { $0 != .behind }) { commitWaited(behind: known) }
        var report = CommitReport()
        for batch in batches {
            guard case .committed(let generation) = outcomes[batch.partition] else {
                report.behind.insert(batch.partition)
                continue
            }
            untold.insert(batch.partition)
            if generation != tails[batch.partition].generation { report.cutOver.insert(batch.partition) }
            commitWaited(with: batch)
            tails.move(behind: batch)
            tell(.committed(batch))
        }
        cameTooLate(report.behind)
        return report
    }

    /// Confirms what the answers say of events that were in the log before, like repeats and recalled events (rule P1).
    /// Events of this statement are confirmed by its own commit. If nothing can be confirmed, the devices are told to
    /// send again.
    private func confirm(_ staging: inout AppendStaging, _ report: CommitReport) throws {
        // Their fields are read where they stand: most answers say nothing of what is in the log.
        let waiting = staging.answers.indices.filter { index in
            guard staging.answers[index].saysWhatIsLogged else { return false }
            let partition = staging.answers[index].partition
            return report.isSettled(partition) && !isConfirmed(partition)
        }
        guard !waiting.isEmpty, try !confirm() else { return }
        for index in waiting { staging.answers[index].withdraw() }
    }

    /// Whether all that the lane knows of the partitions is confirmed, at the latest by this call (rule P1). Throws
    /// `LogTruncated` or `StoreStopped`.
    func confirm(_ partitions: Set<Partition>) throws -> Bool {
        try partitions.allSatisfy(isConfirmed) || confirm()
    }

    /// Confirms all that the lane knows, by a commit that waits as an append does. Returns whether that succeeded.
    private func confirm() throws -> Bool {
        let known = tails.known
        do {
            try ask { try $0.confirm() }
            commitWaited(behind: known)
            return true
        } catch let error where error is StoreStopped || error is LogTruncated {
            throw error
        } catch {
            context.logger.error("nothing can be confirmed", metadata: ["error": "\(error)"])
            return false
        }
    }
}
