import FocusCore

@testable import EventStore

/// A transaction of a rebuild: what it writes is there for others, and as a whole, when it has committed.
final class SimulatedTransaction {
    /// What it reads: one moment, or the log as it is at each statement.
    let view: SimulatedLog
    private let log: SimulatedLog
    /// Which server of the log it runs on (`SimulatedLocks.servers`).
    private let server: Int
    private var move: (from: RebuildPlace, to: RebuildPlace)?
    private var writes: [(SimulatedLog) -> Void] = []
    private var appends: [PartitionAppend] = []
    private var shows: (generation: Generation, partition: Partition)?
    /// Its process was killed behind COMMIT, which the server runs all the same.
    var commitsLater = false
    /// The partition that it holds.
    private(set) var held: SimulatedLocks.Transaction?

    init(_ log: SimulatedLog, isSnapshot: Bool) {
        (self.log, view, server) = (log, isSnapshot ? log.snapshot() : log, log.locks.servers)
    }

    /// Whether the server still is the one on which it began.
    var isAlive: Bool { server == log.locks.servers }

    func moves(_ from: RebuildPlace, to next: RebuildPlace) { move = (from, next) }
    func writes(_ write: @escaping (SimulatedLog) -> Void) { writes.append(write) }
    func appends(_ batch: PartitionAppend) { appends.append(batch) }
    func shows(_ generation: Generation, in partition: Partition) { shows = (generation, partition) }
    func holds(_ held: SimulatedLocks.Transaction) { self.held = held }

    func release() {
        log.locks.releasePlaces(of: self)
        if let held { log.locks.release(held) }
        held = nil
    }

    /// Does what was asked for.
    /// - Returns: false if the rebuild is not where it was: another process has moved it.
    func commit() -> Bool {
        defer { release() }
        if let move {
            guard log.model.isAt(move.from) else { return false }
            log.model.places[move.from.generation.number]?[move.from.partition] = move.to
        }
        for batch in appends where log.append(batch) == .behind {
            log.witness.fail("a cut-over has partition \(batch.partition) locked, and others append to it")
        }
        for write in writes { write(log) }
        if let shows { log.show(shows.generation.number, in: shows.partition, telling: appends.flatMap(\.events)) }
        log.journal.append(.readModel(log.model))
        // A commit that shows something waits for the disk, and for the standby.
        if shows != nil { log.becameDurable() }
        return true
    }
}
