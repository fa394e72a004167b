import FocusCore
import PostgresClient

@testable import EventStore

/// What servers ask of the read model.
extension SimulatedLog {
    /// Loads a user's rows and folds the events that the read model does not show yet.
    func load(_ user: UserID, _ partition: Partition) throws -> LoadedUser {
        if (successor?.log ?? self).broken.contains(user) { throw BrokenUser() }
        var loaded = try stored(user, partition, model[partition]).folded(.current)
        loaded.hasDigests = model[partition].users[user]?.hasDigests ?? false
        return loaded
    }

    /// Looks a user up as `UserLoader` does; nil when they are to be loaded.
    func lookUp(_ user: UserID, _ partition: Partition) throws -> UserOutline? {
        let shown = model[partition].users[user] ?? SimulatedReadModel.Shown()
        guard firstLacking(user, partition) == nil, shown.version == .zero || shown.hasDigests else { return nil }
        let digests = try shown.digests.map { try StoredDigests(decoding: $0) }
        let needed: Set<RowCollection> = [.stream, .appStreams, .devices, .incarnations]
        let rows = shown.rows.filter { needed.contains($0.key.collection) }
        return UserOutline(
            state: try UserState(user: user, version: shown.version, rows: rows), digests: digests ?? .none,
            head: head(partition))
    }

    /// A user in a part of the read model, with the events past it.
    func stored(_ user: UserID, _ partition: Partition, _ part: SimulatedReadModel.Part) -> StoredUser {
        let shown = part.users[user] ?? SimulatedReadModel.Shown()
        let later = (events[partition] ?? []).filter { $0.user == user && $0.version > shown.version }
        return StoredUser(user, at: shown.version, shown.rows, events: later, head: head(partition))
    }

    /// Which of the entries the read model has, or lacks events to say.
    func audiences(_ entries: [AudienceEntry], generation: Int32) throws -> FoundAudiences {
        let possible = try entries.filter { entry in
            let shown = try model.part(entry.partition, in: generation).users[entry.user]
            let isBehind = (events[entry.partition] ?? []).contains {
                $0.user == entry.user && $0.version > shown?.version ?? .zero
            }
            return isBehind
                || shown?.rows.contains { key, row in
                    key.collection == .audience && key.key == entry.viewer.description && !row.isDeleted
                        && (entry.app.map { $0 == key.app } ?? true)
                } ?? false
        }
        return FoundAudiences(possible: Set(possible), heads: Set(entries.map { head($0.partition) }))
    }

    /// The number of events that the read model does not show yet.
    var lag: Int64 {
        identity.allPartitions.reduce(0) { $0 + head($1).nextOffset.rawValue - model[$1].checkpoint.rawValue }
    }

    func checkpoint(_ partition: Partition, generation: Int32) throws -> Checkpoint {
        let part = try model.part(partition, in: generation)
        return Checkpoint(offset: part.checkpoint, laggards: part.laggards)
    }

    /// The first event that the user's rows lack; nil: they lack none.
    func firstLacking(_ user: UserID, _ partition: Partition) -> LogOffset? {
        firstLacking(user, partition, model[partition])
    }

    private func firstLacking(
        _ user: UserID, _ partition: Partition, _ part: SimulatedReadModel.Part
    ) -> LogOffset? {
        let shown = part.users[user]?.version ?? .zero
        return events[partition]?.first { $0.user == user && $0.version > shown }?.offset
    }

    func dueUsers(
        _ partition: Partition, after place: DuePlace, until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        var found: [DueUser] = []
        for (user, shown) in try model.part(partition, in: generation).users {
            guard let dueAt = shown.dueAt, dueAt <= until, (dueAt, user) > (place.dueAt, place.user) else { continue }
            found.append(DueUser(partition: partition, user: user, dueAt: dueAt))
        }
        return Array(found.sorted { ($0.dueAt, $0.user) < ($1.dueAt, $1.user) }.prefix(limit))
    }

    // MARK: Writing

    /// Writes a batch under the same conditions as `ProjectionWriter`.
    func write(_ batch: ProjectionBatch, foldVersion: Int32) throws -> ProjectionOutcome {
        var part = try model.part(batch.partition, in: batch.generation)
        if let anchor = batch.anchor, !holds(anchor, batch.partition) { return .otherLog }
        if let timeline = batch.timeline, timeline != self.timeline { return .otherLog }
        guard part.checkpoint >= batch.base else { return .checkpointRegressed(to: part.checkpoint) }
        guard model.generation(of: batch.partition) == batch.generation, model.folds[batch.generation] == foldVersion
        else { return .otherGeneration }
        judgeGeneration(batch, foldVersion)
        var missing: Set<UserID> = []
        for var user in batch.users {
            user.readRows()
            var shown = part.users[user.user] ?? SimulatedReadModel.Shown()
            guard shown.version >= user.base else {
                if !hasLostRows { witness.fail("a batch begins from rows of \(user.user) that were never written") }
                missing.insert(user.user)
                continue
            }
            guard shown.version <= user.version else { continue }
            if shown.version < user.version {
                judgeRows(user, part)
                for row in user.rows { shown.rows[row.key] = row.row }
            }
            shown.show(user)
            part.users[user.user] = shown
        }
        let moves = missing.isEmpty && batch.checkpoint > part.checkpoint
        if moves {
            part.checkpoint = batch.checkpoint
            for user in passed(batch) {
                let first = firstLacking(user, batch.partition, part)
                if let first, first < part.checkpoint { part.laggards[user] = first }
            }
        }
        settleLaggards(&part, batch.partition, batch.users.map(\.user))
        judgeStanding(batch.partition, moves)
        model.change(batch.partition, in: batch.generation) { $0 = part }
        if judgesCheckpoints { judgeCheckpoints() }
        trace?("the read model is at \(part.checkpoint) of \(batch.partition): \(batch.users.map(\.version))")
        journal.append(.readModel(model))
        let isCovered = moves && batch.end.map { $0 <= batch.checkpoint } ?? batch.users.isEmpty
        if !isCovered { flushed = model }
        return .written(missing: missing, checkpoint: part.checkpoint)
    }

    /// Whom the database asks for events that their rows lack.
    private func passed(_ batch: ProjectionBatch) -> Set<UserID> {
        switch batch.passed {
        case .named(let users): Set(users)
        case .anybody:
            Set((events[batch.partition] ?? [])[Int(batch.base.rawValue)..<Int(batch.checkpoint.rawValue)].map(\.user))
        }
    }

    /// Forgets those of the laggards whose rows lack no event below the checkpoint any more.
    func settleLaggards(_ part: inout SimulatedReadModel.Part, _ partition: Partition, _ users: some Sequence<UserID>) {
        for user in users where part.laggards[user] != nil {
            let first = firstLacking(user, partition, part) ?? part.checkpoint
            if first >= part.checkpoint { part.laggards[user] = nil }
        }
    }

    // MARK: Judging

    /// What nobody may write into: a generation that is not shown, or that another fold fills.
    private func judgeGeneration(_ batch: ProjectionBatch, _ foldVersion: Int32) {
        let shown = model.generation(of: batch.partition)
        if batch.generation != shown {
            witness.fail("rows are projected into generation \(batch.generation), and \(shown) is shown")
        }
        if model.folds[shown] != foldVersion {
            witness.fail("fold \(foldVersion) writes rows of generation \(shown), which another fold fills")
        }
    }

    /// Rows that are written are what the events make at their version.
    func judgeRows(_ user: ProjectedUser, _ part: SimulatedReadModel.Part) {
        guard part.altered[user.user] == nil else { return }
        let expected = witness.state(of: user.user, at: user.version)
        for row in user.rows where expected.row(row.key) != row.row {
            return witness.fail("\(row.key.collection) \(row.key.key) of \(user.user) is written wrongly")
        }
    }

    private func judgeStanding(_ partition: Partition, _ moves: Bool) {
        let isBehind = head(partition).nextOffset > model[partition].checkpoint
        standing[partition] = moves || !isBehind ? 0 : standing[partition, default: 0] + 1
        batches[partition, default: 0] += 1
        if standing[partition, default: 0] > standingLimit {
            witness.fail("the checkpoint of partition \(partition) does not move, over \(standingLimit) batches")
        }
    }

    /// Checks of everybody whose rows lack an event below the checkpoint that they are a laggard from there on.
    func judgeCheckpoints() {
        for partition in identity.allPartitions { judgeCheckpoints(of: partition) }
    }

    func judgeCheckpoints(of partition: Partition) {
        let part = model[partition]
        var lacking: Set<UserID> = []
        for event in (events[partition] ?? []).prefix(Int(part.checkpoint.rawValue))
        where event.version > part.users[event.user]?.version ?? .zero {
            guard lacking.insert(event.user).inserted else { continue }
            guard let known = part.laggards[event.user], known <= event.offset else {
                return witness.fail(
                    "the checkpoint \(part.checkpoint) has passed \(event.user), who lacks \(event.offset)")
            }
        }
    }
}

/// The user cannot be loaded.
struct BrokenUser: Error {}
