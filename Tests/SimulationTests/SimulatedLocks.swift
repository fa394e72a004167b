import FocusCore

@testable import EventStore

/// The partitions that transactions of servers hold, as PostgreSQL's row locks do.
///
/// All happens on one thread. Whoever needs a held partition has the transaction that holds it end first: its events
/// are in the log before those who wait go on. A transaction whose connection was lost ends when it will: they wait.
final class SimulatedLocks {
    /// A transaction that holds partitions.
    final class Transaction {
        let partitions: [Partition]
        /// Ends it, once its last statement was sent; nil before that.
        var finish: (() -> Void)?
        /// When it ends by itself, in microseconds, or waits for its next statement: nobody can end it earlier. Its
        /// connection is lost and it runs on, or it is that of a rebuild.
        var orphanedUntil: Int64?
        var isLost = true

        init(_ partitions: [Partition]) { self.partitions = partitions }
    }

    /// A partition of a generation: its checkpoint, or the place of its rebuild.
    private struct Part: Hashable {
        let partition: Partition
        let generation: Int32
    }

    private var holders: [Partition: Transaction] = [:]
    private var projections: [Part: Transaction] = [:]
    private var moves: [Part: SimulatedTransaction] = [:]
    private let witness: Witness
    /// Counts the servers that held transactions: a new one knows nothing of those of the one before.
    private(set) var servers = 0

    init(_ witness: Witness) { self.witness = witness }

    /// Waits for whoever holds the partitions, and holds them.
    func lock(_ partitions: [Partition]) -> Transaction {
        if partitions != Set(partitions).sorted() { witness.fail("partitions are not locked in ascending order") }
        waitForHolders(of: partitions)
        if orphan(of: partitions) != nil { witness.fail("partitions are locked that another transaction holds") }
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
            guard let holder = holders[partition], holder.orphanedUntil == nil else { continue }
            // Otherwise the server that holds it waits for something else meanwhile: this may never end.
            guard let finish = holder.finish else {
                return witness.fail("partition \(partition) is held by a transaction that waits for another call")
            }
            finish()
        }
    }

    /// Whether nobody holds the partition, once those have ended that somebody can end.
    func isFree(_ partition: Partition) -> Bool {
        if let holder = holders[partition], holder.orphanedUntil == nil { holder.finish?() }
        return holders[partition] == nil
    }

    // MARK: Checkpoints

    /// Holds the checkpoint of a partition for a projection; nil: another one is at it.
    func lockCheckpoint(of partition: Partition, in generation: Int32) -> Transaction? {
        let checkpoint = Part(partition: partition, generation: generation)
        guard projections[checkpoint] == nil else { return nil }
        let transaction = Transaction([])
        projections[checkpoint] = transaction
        return transaction
    }

    /// Has the projection end that is at the checkpoint.
    func endProjection(of partition: Partition, in generation: Int32) {
        projections[Part(partition: partition, generation: generation)]?.finish?()
    }

    func releaseCheckpoint(of partition: Partition, in generation: Int32, _ transaction: Transaction) {
        transaction.finish = nil
        let checkpoint = Part(partition: partition, generation: generation)
        if projections[checkpoint] === transaction { projections[checkpoint] = nil }
    }

    // MARK: Places of rebuilds

    /// Holds the place of a rebuild for a transaction that moves it.
    /// - Returns: false if another one does, whose commit may be still to come.
    func hold(_ place: RebuildPlace, for transaction: SimulatedTransaction) -> Bool {
        let part = Part(partition: place.partition, generation: place.generation.number)
        guard moves[part] == nil || moves[part] === transaction else { return false }
        moves[part] = transaction
        return true
    }

    /// Whether a transaction that has moved a rebuild of the generation may still commit: it has locked what it wrote.
    func isMoving(_ generation: Int32) -> Bool { moves.keys.contains { $0.generation == generation } }

    func releasePlaces(of transaction: SimulatedTransaction) { moves = moves.filter { $0.value !== transaction } }

    /// The transaction that holds one of the partitions and that nobody can end.
    func orphan(of partitions: [Partition]) -> Transaction? {
        partitions.lazy.compactMap { self.holders[$0] }.first { $0.orphanedUntil != nil }
    }

    /// The database is another one by now, without the transactions.
    func releaseAll() {
        servers += 1
        for transaction in Array(holders.values) + Array(projections.values) { transaction.finish = nil }
        (holders, projections, moves) = ([:], [:], [:])
    }
}
