import EventStore
import FocusCore

/// The partitions that transactions of servers hold, as PostgreSQL's row locks do.
///
/// All happens on one thread, so nobody can wait for a lock in the middle of a call. Whoever needs a held partition has
/// the transaction that holds it end first: its events are in the log before those who wait go on.
final class SimulatedLocks {
    /// A transaction that holds partitions.
    final class Transaction {
        let partitions: [Partition]
        /// Ends it, once its last statement was sent; nil before that.
        var finish: (() -> Void)?

        init(_ partitions: [Partition]) { self.partitions = partitions }
    }

    private var holders: [Partition: Transaction] = [:]
    private let witness: Witness

    init(_ witness: Witness) { self.witness = witness }

    /// Waits for whoever holds the partitions, and holds them.
    func lock(_ partitions: [Partition]) -> Transaction {
        if partitions != Set(partitions).sorted() { witness.fail("partitions are not locked in ascending order") }
        waitForHolders(of: partitions)
        let transaction = Transaction(partitions)
        for partition in partitions { holders[partition] = transaction }
        return transaction
    }

    func isHeld(by transaction: Transaction) -> Bool {
        transaction.partitions.allSatisfy { holders[$0] === transaction }
    }

    func release(_ transaction: Transaction) {
        transaction.finish = nil
        for partition in transaction.partitions where holders[partition] === transaction { holders[partition] = nil }
    }

    func waitForHolders(of partitions: [Partition]) {
        for partition in partitions {
            guard let holder = holders[partition] else { continue }
            // Otherwise the server that holds it waits for something else meanwhile: this may never end.
            guard let finish = holder.finish else {
                return witness.fail("partition \(partition) is held by a transaction that waits for another call")
            }
            finish()
        }
    }

    /// The database is another one by now, without the transactions.
    func releaseAll() {
        for transaction in holders.values { transaction.finish = nil }
        holders = [:]
    }
}
