import EventStore
import FocusCore
import Logging

/// What became of a statement that was to be committed.
struct CommitReport {
    /// The log refused all of it.
    var isFailed = false
    /// Partitions that end elsewhere: another server was first, and none of the events were written.
    var behind: Set<Partition> = []
    /// Partitions of which another generation is shown than the one that the events were folded on.
    var cutOver: Set<Partition> = []

    /// Partitions whose heads the lane does not know.
    var outdated: Set<Partition> { behind.union(cutOver) }

    /// Answers about the partition's events can be given.
    func isSettled(_ partition: Partition) -> Bool { !behind.contains(partition) }

    /// States of the partition's users are what the log has, as it is shown.
    func isValid(_ partition: Partition) -> Bool { !isFailed && !outdated.contains(partition) }
}

extension LaneLog {
    /// Appends what was staged with one statement, and sees to it that all of its answers may be given. Throws
    /// `LogTruncated` and `StoreStopped`: nothing may be told. When the log refuses, the answers say so.
    func commit(_ staging: inout AppendStaging) throws -> CommitReport {
        var report = CommitReport()
        if !staging.batches.isEmpty {
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
        // What its commit will cover, if it comes through.
        let known = tails.known
        let outcomes = try ask { try $0.append(batches) }
        FaultPoint.pass(.committed)
        if outcomes.values.contains(where: { $0 != .behind }) { commitWaited(behind: known) }
        var report = CommitReport()
        var committed: [Partition] = []
        for batch in batches {
            guard case .committed(let generation) = outcomes[batch.partition] else {
                report.behind.insert(batch.partition)
                continue
            }
            committed.append(batch.partition)
            if generation != tails[batch.partition].generation { report.cutOver.insert(batch.partition) }
            commitWaited(with: batch)
            tails.move(behind: batch)
            tell(.committed(batch))
        }
        context.hints.committed(committed)
        return report
    }

    /// Confirms what the answers say of events that were in the log before: repeats, what is lost already (rule P1). Those
    /// of events that their own statement appended are confirmed by it. When it fails, they are told to send again.
    private func confirm(_ staging: inout AppendStaging, _ report: CommitReport) throws {
        let waiting = staging.answers.indices.filter { index in
            let answer = staging.answers[index]
            return answer.saysWhatIsLogged && report.isSettled(answer.partition) && !isConfirmed(answer.partition)
        }
        guard !waiting.isEmpty else { return }
        let known = tails.known
        do {
            // One commit for all that waits, in every partition. Waits as an append does.
            try ask { try $0.confirm() }
            commitWaited(behind: known)
        } catch let error where error is StoreStopped || error is LogTruncated {
            throw error
        } catch {
            context.logger.error("nothing can be confirmed", metadata: ["error": "\(error)"])
            for index in waiting { staging.answers[index].withdraw() }
        }
    }
}
