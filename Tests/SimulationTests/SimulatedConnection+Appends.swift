import FocusCore
import PostgresClient

@testable import EventStore

/// Appends, and what becomes of those whose connection is lost.
extension SimulatedConnection {
    /// What becomes of an append whose answer is lost.
    private enum Fate: CaseIterable {
        /// The server never got it; it was committed.
        case lost, committed
        /// Its transaction runs on for a while, holds its partitions, and ends.
        case commitsLater, rollsBackLater
        /// The server begins it only after a while.
        case runsLater
    }

    func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        if let rebuilding { return try append(batches, in: rebuilding) }
        if transaction != nil { log.witness.fail("another statement is sent than the one that was locked for") }
        try call()
        try failBefore()
        try requireWrites()
        let partitions = batches.map(\.partition).sorted()
        if access.fails(once: access.faults.losesInDoubt) { throw lose(batches, nil) }
        let (server, servers) = (log, log.locks.servers)
        do {
            try waitForHolders(of: partitions)
        } catch {
            // The server still waits, unless it crashed.
            if servers == server.locks.servers {
                runLater(batches, on: server, after: access.random.number(1...1_000_000))
            }
            throw error
        }
        return try settle(batches, log.execute(batches))
    }

    /// A cut-over has locked the partition, so that nothing can come in between.
    private func append(
        _ batches: [PartitionAppend], in rebuilding: SimulatedTransaction
    ) throws -> [Partition: PartitionOutcome] {
        try send()
        for batch in batches { rebuilding.appends(batch) }
        return Dictionary(
            uniqueKeysWithValues: batches.map {
                ($0.partition, .committed(generation: log.model.generation(of: $0.partition)))
            })
    }

    func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition] {
        try send()
        try requireWrites()
        if access.fails(once: access.faults.readFails) {
            throw PostgresError(kind: .insufficientResources, message: "out of memory")
        }
        try waitForHolders(of: known.map(\.partition))
        let transaction = log.locks.lock(known.map(\.partition))
        do {
            let locked = try known.map { known in
                let first = LockedPartition.firstOffset(behind: known)
                let events = log.events(known.partition, from: first, limit: limit + 2)
                let locked = try LockedPartition(
                    log.head(known.partition), behind: known, limit: limit, read: events
                ) { log.users(known.partition, in: $0) }
                switch locked.gap {
                case .events(let events): for event in events { sees(event) }
                case .users(let users): sees(users)
                }
                return locked
            }
            self.transaction = transaction
            return locked
        } catch {
            log.locks.release(transaction)
            throw error
        }
    }

    /// Appends in the transaction that holds the partitions. Its statement is sent before others go on: whoever needs
    /// the partitions meanwhile waits until it has ended.
    func commitLocked(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        guard isUsable, let transaction else { throw Self.lost }
        self.transaction = nil
        let (log, locks) = (log, log.locks)
        if !Set(batches.map(\.partition)).isSubset(of: transaction.partitions) {
            log.witness.fail("a transaction appends to partitions that it has not locked")
        }
        var outcomes: [Partition: PartitionOutcome]?
        transaction.finish = {
            outcomes = log.execute(batches)
            locks.release(transaction)
        }
        do {
            try failBefore()
            try call()
        } catch {
            // If others needed the partitions meanwhile, it was committed all the same: it is in doubt.
            if locks.isHeld(by: transaction) { locks.release(transaction) }
            throw error
        }
        if access.fails(once: access.faults.losesInDoubt) { throw lose(batches, transaction) }
        if outcomes == nil, locks.isHeld(by: transaction) { transaction.finish?() }
        guard let outcomes else {
            // The server has changed meanwhile, and nothing of the transaction is left.
            close()
            throw Self.lost
        }
        return try settle(batches, outcomes)
    }

    func resolveInDoubt(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        try send()
        try requireWrites()
        try waitForHolders(of: batches.map(\.partition).sorted(), limit: SimulatedAccess.lockWait)
        let outcomes = Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, log.outcome(of: $0)) })
        // To lock rows is a commit that waits.
        log.replicate()
        didCommit(batches, outcomes)
        return outcomes
    }

    // MARK: Faults

    private func failBefore() throws {
        if access.fails(once: access.faults.appendFails) {
            throw PostgresError(kind: .insufficientResources, message: "full")
        }
        if access.fails(once: access.faults.diesBeforeCommit) { throw StoreStopped() }
    }

    /// What follows the statement.
    private func settle(
        _ batches: [PartitionAppend], _ outcomes: [Partition: PartitionOutcome]
    ) throws -> [Partition: PartitionOutcome] {
        for batch in batches { access.judgeContention(batch.partition, outcomes[batch.partition]) }
        // In PostgreSQL this is the time in which the commit waits: others may read what no standby has.
        if access.fails(once: access.faults.diesAfterCommit) { throw StoreStopped() }
        if outcomes.values.contains(where: { $0 != .behind }) { log.replicate() }
        didCommit(batches, outcomes)
        return outcomes
    }

    private func didCommit(_ batches: [PartitionAppend], _ outcomes: [Partition: PartitionOutcome]) {
        for batch in batches {
            guard case .committed = outcomes[batch.partition] else { continue }
            for event in batch.events { sees(event) }
        }
    }

    /// Loses the connection together with the answer to an append.
    /// - Parameter locked: the transaction that holds the partitions, or has ended.
    private func lose(
        _ batches: [PartitionAppend], _ locked: SimulatedLocks.Transaction?
    ) -> PostgresError {
        let (log, locks) = (log, log.locks)
        let fate = access.random.element(Fate.allCases)
        let life = access.random.number(1_000...4_000_000)
        access.simulation.trace("the answer to an append is lost: \(fate)")
        let partitions = batches.map(\.partition).sorted()
        locks.waitForHolders(of: locked == nil ? partitions : [])
        if let locked, !locks.isHeld(by: locked) {
            // Somebody needed the partitions, so it is committed; or the server has changed.
        } else if locked == nil, locks.orphan(of: partitions) != nil {
            runLater(batches, on: log, after: life)
        } else {
            switch fate {
            case .lost: break
            case .committed: _ = log.execute(batches)
            case .commitsLater, .rollsBackLater:
                let transaction = locked ?? locks.lock(partitions)
                transaction.orphanedUntil = access.simulation.clock.now + Int64(life)
                access.simulation.after(life, rank: 55) {
                    guard locks.isHeld(by: transaction) else { return }
                    if fate == .commitsLater {
                        _ = log.execute(batches)
                        log.replicate()
                    }
                    locks.release(transaction)
                }
            case .runsLater: if locked == nil { runLater(batches, on: log, after: life) }
            }
            if let locked, locked.orphanedUntil == nil { locks.release(locked) }
        }
        if access.random.once(in: 3) { return fallSilent() }
        close()
        return Self.lost
    }

    /// The server has the statement and begins it after a while, when nobody waits for its answer any more.
    private func runLater(_ batches: [PartitionAppend], on log: SimulatedLog, after wait: Int) {
        guard log.successor == nil else { return }
        let (servers, simulation) = (log.locks.servers, access.simulation)
        func run() {
            guard log.locks.servers == servers else { return }
            let partitions = batches.map(\.partition).sorted()
            log.locks.waitForHolders(of: partitions)
            if let until = log.locks.orphan(of: partitions)?.orphanedUntil {
                return simulation.after(max(1, Int(until - simulation.clock.now)), rank: 56) { run() }
            }
            if log.execute(batches).values.contains(where: { $0 != .behind }) { log.replicate() }
        }
        simulation.after(wait, rank: 56) { run() }
    }
}

extension SimulatedLog {
    fileprivate func execute(_ batches: [PartitionAppend]) -> [Partition: PartitionOutcome] {
        Dictionary(uniqueKeysWithValues: batches.map { ($0.partition, append($0)) })
    }
}
