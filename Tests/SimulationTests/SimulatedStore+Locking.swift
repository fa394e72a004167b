import EventStore
import FocusCore
import PostgresClient

@testable import SyncServer

extension SimulatedStore {
    func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition] {
        try read()
        let transaction = log.locks.lock(known.map(\.partition))
        do {
            let locked = try known.map { known in
                let first = LockedPartition.firstOffset(behind: known)
                let events = log.events(known.partition, from: first, limit: limit + 2)
                let locked = try LockedPartition(
                    log.head(known.partition), behind: known, limit: limit, read: events
                ) { log.users(known.partition, in: $0) }
                if case .events(let events) = locked.gap { for event in events { didSee(event.user, event.version) } }
                return locked
            }
            self.transaction = transaction
            return locked
        } catch {
            log.locks.release(transaction)
            throw error
        }
    }

    func unlock() {
        guard let transaction else { return }
        self.transaction = nil
        log.locks.release(transaction)
    }

    /// Appends in the transaction that holds the partitions. Its statement is sent before others go on: whoever needs
    /// the partitions meanwhile waits until it has ended.
    func append(
        _ batches: [PartitionAppend], in transaction: SimulatedLocks.Transaction
    ) throws -> [Partition: PartitionOutcome] {
        self.transaction = nil
        let faults = faults()
        let locks = log.locks
        if !Set(batches.map(\.partition)).isSubset(of: transaction.partitions) {
            log.witness.fail("a transaction appends to partitions that it has not locked")
        }
        var failure: (any Error)?
        if random.once(in: faults.appendFails) {
            failure = PostgresError(kind: .insufficientResources, message: "full")
        }
        if random.once(in: faults.diesBeforeCommit) { failure = StoreStopped() }
        let isLost = random.once(in: faults.losesInDoubt)
        var outcomes: [Partition: PartitionOutcome]?
        if failure != nil || isLost {
            locks.release(transaction)
        } else {
            transaction.finish = { [log] in
                outcomes = Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, log.append($0)) })
                locks.release(transaction)
            }
        }
        try willCall()
        if let failure { throw failure }
        if isLost { return Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, .behind) }) }
        if outcomes == nil, locks.isHeld(by: transaction) { transaction.finish?() }
        if !isPooled { try verify() }
        // The database fell back meanwhile, and nothing of the transaction is left.
        return try settle(
            batches, outcomes ?? Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, .behind) }))
    }
}
