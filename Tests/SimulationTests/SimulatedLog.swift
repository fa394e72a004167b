import FocusCore
import FocusWire
import PostgresClient

@testable import EventStore

/// The log and the read model in memory, shared by all servers of a simulation, with PostgreSQL's guarantees: offsets
/// are dense, an append succeeds as a whole where the partition ends as expected or not at all, and a load sees a
/// single moment.
final class SimulatedLog {
    /// A user's rows and version in the read model.
    private struct Shown {
        var version = Version.zero
        var dueAt: Timestamp?
        var rows: [RowKey: Row] = [:]
        /// The digest sums, and the version that they are of.
        var digests: [UInt8]?
        var digestsVersion = Version.zero
    }

    private struct ReadModel {
        var checkpoint = LogOffset.zero
        var laggards: [UserID: LogOffset] = [:]
        var users: [UserID: Shown] = [:]
    }

    let identity: LogIdentity
    /// The log's format; servers see it rise while they run, and it never falls.
    private(set) var format: Int32
    private(set) var events: [Partition: [LoggedEvent]] = [:]
    private var models: [Partition: ReadModel] = [:]
    /// The part of the read model on disk, because projections commit without waiting for it.
    private var flushed: [Partition: ReadModel] = [:]
    /// The part of the read model on a standby, which may take over.
    private var replica: [Partition: ReadModel] = [:]
    private(set) var timeline = Timeline(name: "1")
    /// Every commit in order, as a standby receives them and a backup replays them.
    private var journal: [Commit] = []
    private enum Commit {
        case append(Partition, Int)
        case projection(Partition, ReadModel)
        /// A crash or a failover has lost projections.
        case lost([Partition: ReadModel])
    }
    let witness: Witness
    let locks: SimulatedLocks
    /// Users who cannot be loaded, as if their events did not fold.
    var broken: Set<UserID> = []
    /// Set for a server that was demoted (`demoted`): the log of which it is a past state, and the history that it
    /// shows (see `Simulation.history`). It answers who reads.
    private(set) var successor: (log: SimulatedLog, history: Int)?
    /// The number of batches since the checkpoint of a partition last moved although events are past it; and the most
    /// that are right.
    private var standing: [Partition: Int] = [:]
    var standingLimit: Int?
    /// Whether every batch is followed by a look at what the rows lack, which takes its time.
    var judgesCheckpoints = false
    /// Nil: the simulation is not traced.
    var trace: ((String) -> Void)?

    init(_ log: LogID, partitions: Int32, format: Int32, witness: Witness) {
        identity = LogIdentity(
            log: log, partitions: partitions, hash: EventStore.partitionHash, format: format)
        self.witness = witness
        locks = SimulatedLocks(witness)
        self.format = format
        for partition in identity.allPartitions {
            events[partition] = []
            models[partition] = ReadModel()
            flushed[partition] = ReadModel()
            replica[partition] = ReadModel()
        }
    }

    /// The state of now, as a server shows it for ever that does not write the log any more.
    func demoted(in history: Int) -> SimulatedLog {
        let copy = SimulatedLog(identity.log, partitions: identity.partitions, format: format, witness: witness)
        (copy.events, copy.models, copy.timeline) = (events, models, timeline)
        copy.successor = (self, history)
        return copy
    }

    func raiseFormat() { format = EventStore.logFormats.upperBound }

    // MARK: Log

    func append(_ batch: PartitionAppend) -> PartitionOutcome {
        guard batch.isWellFormed else {
            witness.fail("a batch of partition \(batch.partition) is not well formed")
            return .behind
        }
        let head = head(batch.partition)
        guard head.nextOffset == batch.expectedOffset, head.lastEvent == batch.expectedEvent,
            head.lastRecordedAt == batch.expectedRecordedAt
        else { return .behind }
        if let first = batch.events.first, first.recordedAt < head.lastRecordedAt {
            witness.fail("recorded_at goes back in partition \(batch.partition)")
        }
        events[batch.partition, default: []] += batch.events
        journal.append(.append(batch.partition, batch.events.count))
        for event in batch.events {
            trace?("the log has \(event.traced)")
            witness.committed(event)
        }
        return .committed(generation: 1)
    }

    func head(_ partition: Partition) -> PartitionHead {
        let events = events[partition] ?? []
        return PartitionHead(
            partition: partition, nextOffset: LogOffset(Int64(events.count)),
            lastEvent: events.last?.id ?? PartitionHead.noEvent,
            lastRecordedAt: events.last?.recordedAt ?? Timestamp(microseconds: 0), generation: 1)
    }

    func events(_ partition: Partition, from offset: LogOffset, limit: Int) -> [LoggedEvent] {
        Array((events[partition] ?? []).dropFirst(Int(offset.rawValue)).prefix(limit))
    }

    /// What became of a batch whose append ended without an answer.
    func outcome(of batch: PartitionAppend) -> PartitionOutcome {
        let logged = events(batch.partition, from: batch.expectedOffset, limit: batch.events.count)
        let isLogged =
            logged.count == batch.events.count
            && zip(logged, batch.events).allSatisfy {
                $0.anchor == $1.anchor && $0.user == $1.user && $0.version == $1.version && $0.type == $1.type
            }
        return isLogged ? .committed(generation: 1) : .behind
    }

    /// A commit has waited for the standby, so the standby has everything up to it.
    func replicate() { witness.replicated() }

    func event(of user: UserID, _ partition: Partition, at version: Version) -> EventID? {
        events[partition]?.last { $0.user == user && $0.version == version }?.id
    }

    /// Nil if the log fell back behind the anchor of the asking server.
    func places(_ question: PlaceQuestion) -> FoundPlaces? {
        if let anchor = question.anchor, !holds(anchor, question.partition) { return nil }
        let found = (events[question.partition] ?? []).filter {
            $0.user == question.user && $0.device == question.device && $0.incarnation == question.incarnation
                && question.places.contains($0.sequence) && $0.type != EventType.deviceEventsLost.rawValue
        }
        return FoundPlaces(
            places: question.places, filledAt: question.known.filledAt,
            events: found.map { FoundPlaces.Found(logged: $0, isWhole: true, outcome: outcome(of: $0)) })
    }

    private func outcome(of logged: LoggedEvent) -> Outcome {
        guard case .eventRefused(let refused)? = try? logged.decoded().body else { return .accepted }
        guard refused.code == RefusalCode.alreadyLogged.rawValue else {
            return .refused(code: refused.code, message: refused.message)
        }
        let first = events[logged.partition]?.first { $0.user == logged.user && $0.id == logged.id }
        return first.map { $0.offset == logged.offset ? .accepted : outcome(of: $0) } ?? .accepted
    }

    func holds(_ anchor: LogAnchor, _ partition: Partition) -> Bool {
        let events = events[partition] ?? []
        return anchor.offset.rawValue < events.count && events[Int(anchor.offset.rawValue)].anchor == anchor
    }

    func users(_ partition: Partition, in range: Range<LogOffset>) -> [UserInRange] {
        var found: [UserID: UserInRange] = [:]
        for event in events[partition] ?? [] where range.contains(event.offset) {
            let first = found[event.user]?.firstOffset ?? event.offset
            found[event.user] = UserInRange(
                user: event.user, version: event.version, firstOffset: first, lastOffset: event.offset)
        }
        return found.values.sorted { $0.user < $1.user }
    }

    // MARK: Read model

    /// Loads a user's rows and folds the events that the read model does not show yet.
    func load(_ user: UserID, _ partition: Partition) throws -> LoadedUser {
        if (successor?.log ?? self).broken.contains(user) { throw BrokenUser() }
        let shown = models[partition]?.users[user] ?? Shown()
        var state = try UserState(user: user, version: shown.version, rows: shown.rows)
        var touched: Set<RowKey> = []
        for event in events[partition] ?? [] where event.user == user && event.version > shown.version {
            touched.formUnion(try state.apply(event.decoded()))
        }
        return LoadedUser(
            state: state, projectedVersion: shown.version, touchedKeys: touched, head: head(partition),
            hasDigests: shown.digests != nil && shown.digestsVersion == shown.version)
    }

    /// Looks a user up as `UserLoader` does; nil when they are to be loaded.
    func lookUp(_ user: UserID, _ partition: Partition) throws -> UserOutline? {
        let shown = models[partition]?.users[user] ?? Shown()
        let isBehind = (events[partition] ?? []).contains { $0.user == user && $0.version > shown.version }
        guard !isBehind, shown.version == .zero || shown.digestsVersion == shown.version else { return nil }
        let digests = try shown.digests.map { try StoredDigests(decoding: $0) }
        let needed: Set<RowCollection> = [.stream, .appStreams, .devices, .incarnations]
        let rows = shown.rows.filter { needed.contains($0.key.collection) }
        return UserOutline(
            state: try UserState(user: user, version: shown.version, rows: rows), digests: digests ?? .none,
            head: head(partition))
    }

    /// Which of the entries the read model has, or lacks events to say.
    func audiences(_ entries: [AudienceEntry]) -> FoundAudiences {
        let possible = entries.filter { entry in
            let shown = models[entry.partition]?.users[entry.user] ?? Shown()
            let isBehind = (events[entry.partition] ?? []).contains {
                $0.user == entry.user && $0.version > shown.version
            }
            return isBehind
                || shown.rows.contains { key, row in
                    key.collection == .audience && key.key == entry.viewer.description && !row.isDeleted
                        && (entry.app.map { $0 == key.app } ?? true)
                }
        }
        return FoundAudiences(possible: Set(possible), heads: Set(entries.map { head($0.partition) }))
    }

    /// The number of events that the read model does not show yet.
    var lag: Int64 {
        identity.allPartitions.reduce(0) { $0 + head($1).nextOffset.rawValue - checkpoint($1).rawValue }
    }

    private func checkpoint(_ partition: Partition) -> LogOffset { models[partition]?.checkpoint ?? .zero }

    func place(_ partition: Partition) -> Checkpoint {
        Checkpoint(offset: checkpoint(partition), laggards: models[partition]?.laggards ?? [:])
    }

    /// The first event that the user's rows lack; nil: they lack none.
    func firstLacking(_ user: UserID, _ partition: Partition) -> LogOffset? { firstLacking(user, models[partition]) }

    private func firstLacking(_ user: UserID, _ model: ReadModel?) -> LogOffset? {
        let shown = model?.users[user]?.version ?? .zero
        return events[identity.partition(of: user)]?.first { $0.user == user && $0.version > shown }?.offset
    }

    func dueUsers(_ partition: Partition, after place: DuePlace, until: Timestamp, limit: Int) -> [DueUser] {
        var found: [DueUser] = []
        for (user, shown) in models[partition]?.users ?? [:] {
            guard let dueAt = shown.dueAt, dueAt <= until, (dueAt, user) > (place.dueAt, place.user) else { continue }
            found.append(DueUser(partition: partition, user: user, dueAt: dueAt))
        }
        return Array(found.sorted { ($0.dueAt, $0.user) < ($1.dueAt, $1.user) }.prefix(limit))
    }

    /// Writes a batch under the same conditions as `ProjectionWriter`.
    func write(_ batch: ProjectionBatch) -> ProjectionOutcome {
        guard var model = models[batch.partition] else { return .busy }
        if let anchor = batch.anchor, !holds(anchor, batch.partition) { return .otherLog }
        if let timeline = batch.timeline, timeline != self.timeline { return .otherLog }
        guard model.checkpoint >= batch.base else { return .checkpointRegressed(to: model.checkpoint) }
        var missing: Set<UserID> = []
        for var user in batch.users {
            user.readRows()
            var shown = model.users[user.user] ?? Shown()
            guard shown.version >= user.base else {
                missing.insert(user.user)
                continue
            }
            guard shown.version <= user.version else { continue }
            if shown.version < user.version {
                for row in user.rows { shown.rows[row.key] = row.row }
                shown.version = user.version
            }
            shown.dueAt = user.dueAt
            if let digests = user.digests?.encoded { (shown.digests, shown.digestsVersion) = (digests, user.version) }
            model.users[user.user] = shown
        }
        let moves = missing.isEmpty && batch.checkpoint > model.checkpoint
        if moves {
            model.checkpoint = batch.checkpoint
            for user in batch.laggards {
                let first = firstLacking(user, model)
                if let first, first < model.checkpoint { model.laggards[user] = first }
            }
        }
        for user in batch.users.map(\.user) where model.laggards[user] != nil {
            if (firstLacking(user, model) ?? model.checkpoint) >= model.checkpoint { model.laggards[user] = nil }
        }
        judgeStanding(batch.partition, moves)
        models[batch.partition] = model
        if judgesCheckpoints { judgeCheckpoints() }
        trace?("the read model is at \(model.checkpoint) of \(batch.partition): \(batch.users.map(\.version))")
        journal.append(.projection(batch.partition, model))
        let isCovered = moves && batch.end.map { $0 <= batch.checkpoint } ?? batch.users.isEmpty
        if !isCovered { flushed = models }
        return .written(missing: missing, checkpoint: model.checkpoint)
    }

    private func judgeStanding(_ partition: Partition, _ moves: Bool) {
        let isBehind = head(partition).nextOffset > checkpoint(partition)
        standing[partition] = moves || !isBehind ? 0 : standing[partition, default: 0] + 1
        if let limit = standingLimit, standing[partition, default: 0] > limit {
            witness.fail("the checkpoint of partition \(partition) does not move, over \(limit) batches")
        }
    }

    /// Checks of everybody whose rows lack an event below the checkpoint that they are a laggard from there on.
    func judgeCheckpoints() {
        for (partition, model) in models {
            for user in Set((events[partition] ?? []).map(\.user)) {
                guard let first = firstLacking(user, model), first < model.checkpoint else { continue }
                guard let known = model.laggards[user], known <= first else {
                    return witness.fail("the checkpoint \(model.checkpoint) has passed \(user), who lacks \(first)")
                }
            }
        }
    }

    /// Everything projected so far reaches the disk and the standby.
    func flush() { (flushed, replica) = (models, models) }

    /// The number of commits.
    var commits: Int { journal.count }

    /// Resets the database to an earlier commit.
    /// - Returns: the partitions that lost nothing.
    func restore(to commits: Int) -> Set<Partition> {
        journal.removeLast(max(0, journal.count - commits))
        var counts: [Partition: Int] = [:]
        for partition in identity.allPartitions { models[partition] = ReadModel() }
        for commit in journal {
            switch commit {
            case .append(let partition, let count): counts[partition, default: 0] += count
            case .projection(let partition, let model): models[partition] = model
            case .lost(let left): models = left
            }
        }
        let whole = identity.allPartitions.filter { counts[$0, default: 0] == events[$0]?.count ?? 0 }
        for partition in identity.allPartitions {
            events[partition] = Array((events[partition] ?? []).prefix(counts[partition, default: 0]))
        }
        timeline = Timeline(name: timeline.name + "r")
        locks.releaseAll()
        flush()
        witness.fellBack(to: counts)
        return Set(whole)
    }

    /// PostgreSQL crashes and recovers: the log is complete, and projections that were not flushed are lost.
    func loseProjections() {
        models = flushed
        journal.append(.lost(models))
        locks.releaseAll()
    }

    /// The standby takes over: the log is complete, and projections that had not reached the standby are lost.
    func failOver() {
        models = replica
        flush()
        timeline = Timeline(name: timeline.name + "1")
        journal.append(.lost(models))
        locks.releaseAll()
    }
}

/// The user cannot be loaded.
struct BrokenUser: Error {}

extension LoggedEvent {
    fileprivate var traced: String {
        let how = encoding == LoggedEvent.healed ? "healed " : ""
        let what = (try? decoded().body).map { "\($0)".replacing("FocusCore.", with: "").prefix(200) } ?? ""
        return
            "\(partition)/\(offset): version \(version), \(device) \(incarnation.rawValue)/\(sequence), \(how)\(id) \(what)"
    }
}
