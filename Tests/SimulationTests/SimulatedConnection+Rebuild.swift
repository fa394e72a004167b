import FocusCore
import PostgresClient

@testable import EventStore

/// What a rebuild asks. Its thread waits in `SimulatedAccess.willCall`, and the world goes on meanwhile.
extension SimulatedConnection: RebuildConnection {
    func inTransaction<T>(_ mode: TransactionMode, _ body: (any RebuildConnection) throws -> T) throws -> T {
        let begun = SimulatedTransaction(log, isSnapshot: mode == .snapshot)
        rebuilding = begun
        defer {
            rebuilding = nil
            // A commit that is to come late goes on holding what it has locked.
            if !begun.commitsLater { begun.release() }
        }
        let value = try body(self)
        try commit(begun, mode)
        return value
    }

    private func commit(_ begun: SimulatedTransaction, _ mode: TransactionMode) throws {
        do {
            try call()
        } catch {
            if access.isStopping(), mode == .standard, access.random.once(in: 2) { commitLater(begun) }
            throw error
        }
        guard begun.isAlive else {
            close()
            throw Self.lost
        }
        guard mode == .standard else { return }
        try requireWrites()
        guard begun.commit() else {
            throw PostgresError(kind: .transactionAborted, message: "another process has moved the rebuild")
        }
        access.simulation.trace("a step of a rebuild is committed")
        if access.fails(once: access.faults.losesConnection) {
            close()
            throw Self.lost
        }
    }

    /// The process was killed after it had sent COMMIT.
    private func commitLater(_ begun: SimulatedTransaction) {
        let (simulation, wait) = (access.simulation, access.random.number(1_000...500_000))
        begun.commitsLater = true
        begun.held?.orphanedUntil = simulation.clock.now + Int64(wait)
        simulation.after(wait, rank: 57) {
            guard begun.isAlive else { return }
            let isCommitted = begun.commit()
            simulation.trace("the last commit of a rebuild that was killed comes late: \(isCommitted)")
        }
    }

    /// Asks within the transaction, if there is one.
    private func ask<T>(_ body: (SimulatedLog) throws -> T) throws -> T {
        try send()
        if let rebuilding, !rebuilding.isAlive {
            close()
            throw Self.lost
        }
        return try body(rebuilding?.view ?? log)
    }

    private func write(_ body: @escaping (SimulatedLog) -> Void) throws {
        try ask { _ in try requireWrites() }
        rebuilding?.writes(body)
    }

    func move(_ place: RebuildPlace, to next: RebuildPlace) throws -> Bool {
        try ask { _ in try requireWrites() }
        guard let rebuilding else { return false }
        while !log.locks.hold(place, for: rebuilding) {
            access.sleep(.milliseconds(5))
            try call()
        }
        guard log.model.isAt(place) else { return false }
        rebuilding.moves(place, to: next)
        return true
    }

    // MARK: Filling and verifying

    func events(below place: RebuildPlace, after user: UserID, _ version: Int64, limit: Int) throws -> [LoggedEvent] {
        try ask { log in
            let past = (log.events[place.partition] ?? []).filter {
                $0.offset < place.through && ($0.user, $0.version.rawValue) > (user, version)
            }
            return Array(past.sorted { ($0.user, $0.version) < ($1.user, $1.version) }.prefix(limit))
        }
    }

    func insert(_ rows: FilledRows, at place: RebuildPlace, pause: () throws -> Void) throws {
        var inserted: [UserID: SimulatedReadModel.Shown] = [:]
        for user in rows.users {
            inserted[user.user] = SimulatedReadModel.Shown(version: user.version, dueAt: user.dueAt)
        }
        rows.forEachRow { inserted[$0]?.rows[$1] = $2 }
        try write { log in
            log.model.change(place.partition, in: place.generation.number) { part in
                part.users.merge(inserted) { old, _ in
                    log.witness.fail("a rebuild inserts rows that are there")
                    return old
                }
            }
        }
        try pause()
    }

    func moveCheckpoint(of place: RebuildPlace, to offset: LogOffset) throws {
        try write { log in
            log.model.change(place.partition, in: place.generation.number) { part in
                part.checkpoint = max(part.checkpoint, offset)
            }
        }
    }

    func users(of partition: Partition, in generation: Generation, after user: UserID?, limit: Int) throws -> [UserID] {
        try ask { log in
            let users = try log.model.part(partition, in: generation.number).users.keys
            return Array(users.filter { $0 > user ?? .beforeAll }.sorted().prefix(limit))
        }
    }

    func userCount(of partition: Partition, in generation: Generation) throws -> Int64 {
        Int64(try users(of: partition, in: generation, after: nil, limit: .max).count)
    }

    func verdict(of user: UserID, at place: RebuildPlace, rules: FoldRules) throws -> UserVerification.Verdict {
        try ask { log in
            let part = try log.model.part(place.partition, in: place.generation.number)
            let shown = part.users[user] ?? SimulatedReadModel.Shown()
            // A server that was demoted shows what the log has lost, and the rebuild ends before anybody sees it.
            guard shown.version <= log.witness.version(of: user) else { return .equal(rows: shown.rows.count) }
            let state = log.witness.state(of: user, at: shown.version)
            let isRight = state.rowKeys.allSatisfy { state.row($0) == shown.rows[$0] }
            return isRight
                ? .equal(rows: shown.rows.count) : .unfoldable(shown.version, reason: "it was filled wrongly")
        }
    }

    // MARK: Comparing

    func survey(of partition: Partition, in generation: Generation, after user: UserID?, limit: Int) throws -> [UserID]
    {
        try ask { log in
            let shown = try log.model.part(partition, in: generation.number).users.keys
            let known = Set(shown).union((log.events[partition] ?? []).map(\.user))
            return Array(known.filter { $0 > user ?? .beforeAll }.sorted().prefix(limit))
        }
    }

    func alike(
        _ comparison: UserComparison, after first: UserID, through last: UserID, in partition: Partition
    ) throws -> Set<UserID> {
        try ask { log in
            let target = try log.model.part(partition, in: comparison.target.number).users
            let shown = try log.model.part(partition, in: comparison.shown.number).users
            let alike = target.filter { user, new in
                guard user > first, user <= last, let old = shown[user] else { return false }
                return new.version == old.version && new.rows == old.rows && log.version(of: user) == new.version
            }
            return Set(alike.keys)
        }
    }

    func stored(
        _ users: [UserID], of partition: Partition, in generation: Generation, takesAll: Bool, rules: FoldRules
    ) throws -> [UserID: StoredUser] {
        try ask { log in
            let part = try log.model.part(partition, in: generation.number)
            // Now and then as if memory had no room for more.
            let some = takesAll || !access.random.once(in: 8) ? users[...] : users.prefix(1)
            return Dictionary(uniqueKeysWithValues: some.map { ($0, log.stored($0, partition, part)) })
        }
    }

    func folded(_ stored: StoredUser, rules: FoldRules) throws -> LoadedUser { try stored.folded(rules) }

    func differences(at place: RebuildPlace, after user: UserID, limit: Int) throws -> [UserID] {
        try ask { log in
            let users = log.model.differences[place.generation.number]?[place.partition] ?? []
            return Array(users.filter { $0 > user }.sorted().prefix(limit))
        }
    }

    func record(different users: Set<UserID>, at place: RebuildPlace) throws {
        try write { $0.model.record(different: users, at: place) }
    }

    func settle(_ settled: SettledUsers, at place: RebuildPlace) throws {
        try write { log in
            let generation = place.generation.number
            guard var part = try? log.model.part(place.partition, in: generation) else { return }
            for user in settled.lacking { log.project(user, &part) }
            if let checkpoint = settled.checkpoint {
                part.checkpoint = max(part.checkpoint, checkpoint)
                log.settleLaggards(&part, place.partition, Array(part.laggards.keys))
            }
            log.model.change(place.partition, in: generation) { $0 = part }
            log.model.record(different: settled.different, alike: settled.alike, at: place)
        }
    }

    // MARK: Cutting over

    func lockPartition(_ partition: Partition) throws -> Int32? {
        try ask { _ in try requireWrites() }
        while !log.locks.isFree(partition) {
            access.sleep(.milliseconds(5))
            try call()
        }
        let held = log.locks.lock([partition])
        rebuilding?.holds(held)
        access.held = held
        (held.isLost, held.orphanedUntil) = (false, access.simulation.clock.now)
        return log.model.generation(of: partition)
    }

    func waitForCheckpoint(of partition: Partition, in generation: Generation) throws {
        try ask { $0.locks.endProjection(of: partition, in: generation.number) }
    }

    func show(_ generation: Generation, insteadOf shown: Generation, in partition: Partition) throws {
        try ask { _ in try requireWrites() }
        rebuilding?.shows(generation, in: partition)
    }

    func notify(_ partition: Partition) throws { try send() }
}
