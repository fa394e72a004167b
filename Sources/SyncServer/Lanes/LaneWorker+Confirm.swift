import EventStore
import FocusCore
import Logging

/// Rule P1: what is told of the log rests on commits that waited for the standby, never on what could be read alone.
/// See `ConfirmedHeads`.
extension LaneWorker {
    /// Whether all that the lane knows of the partition's log may be told: an append that came through, or a commit of
    /// nothing (`confirm`), stands behind it.
    func isConfirmed(_ partition: Partition) -> Bool {
        tails.isSafe(partition, on: connection.connectionNumber)
    }

    /// One commit for all that waits, in every partition. Waits as an append does. Throws what `LaneStore.confirm`
    /// throws.
    func confirm() throws {
        let known = tails.known
        try store.confirm()
        tails.commitWaited(behind: known, on: connection.connectionNumber)
    }

    /// Confirms what the answers say of events that were in the log before: repeats, what is lost already. Those of
    /// events that their own statement appended are confirmed by it. When it fails, they are told to send again.
    func confirm(_ staging: inout AppendStaging, isSettled: (Partition) -> Bool) throws {
        let waiting = staging.answers.indices.filter { index in
            let answer = staging.answers[index]
            return answer.saysWhatIsLogged && isSettled(answer.partition) && !isConfirmed(answer.partition)
        }
        guard !waiting.isEmpty else { return }
        do {
            try confirm()
        } catch let error where error is StoreStopped || error is LogFellBack {
            for answer in staging.answers { context.budget.give(answer.append.request.bytes) }
            throw error
        } catch {
            context.logger.error("nothing can be confirmed", metadata: ["error": "\(error)"])
            for index in waiting { staging.answers[index].withdraw() }
        }
    }
}
