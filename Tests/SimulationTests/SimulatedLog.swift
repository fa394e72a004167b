import FocusCore
import FocusWire
import PostgresClient

@testable import EventStore

/// The log and the read model in memory, shared by all servers of a simulation, with PostgreSQL's guarantees: offsets
/// are dense, an append succeeds as a whole where the partition ends as expected or not at all, and a load sees a
/// single moment.
final class SimulatedLog {
    let identity: LogIdentity
    /// The log's format; servers see it rise while they run, and it never falls.
    private(set) var format: Int32
    var events: [Partition: [LoggedEvent]] = [:]
    var model: SimulatedReadModel
    /// The read model as far as it is on disk, because projections commit without waiting for it.
    var flushed: SimulatedReadModel
    /// The read model on a standby, which may take over.
    var replica: SimulatedReadModel
    var timeline = Timeline(name: "1")
    /// Every commit in order, as a standby receives them and a backup replays them.
    var journal: [Commit] = []
    enum Commit {
        case append(Partition, Int)
        /// A projection, a step of a rebuild; or a crash or a failover has lost some.
        case readModel(SimulatedReadModel)
    }
    let witness: Witness
    let locks: SimulatedLocks
    /// Whether the read model ever lost something that servers believe to be there.
    var hasLostRows = false
    /// The number of commits when rows were last made wrong. The log does not fall back behind it: servers and devices
    /// would keep what the rows showed, and no rebuild would find it.
    var alteredAt = 0
    /// Users who cannot be loaded, as if their events did not fold.
    var broken: Set<UserID> = []
    /// Set for a server that was demoted (`demoted`): the log of which it is a past state, and the history that it
    /// shows (see `Simulation.history`). It answers who reads.
    private(set) var successor: (log: SimulatedLog, history: Int)?
    /// The number of batches since the checkpoint of a partition last moved although events are past it; and the most
    /// that are right.
    var standing: [Partition: Int] = [:]
    var standingLimit = Int.max
    /// See `commits(in:)`.
    private var appended: [Partition: Int] = [:]
    /// The number of batches that were written for each partition.
    var batches: [Partition: Int] = [:]
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
        for partition in identity.allPartitions { events[partition] = [] }
        model = SimulatedReadModel(identity.allPartitions, foldVersion: FocusCore.foldVersion)
        (flushed, replica) = (model, model)
    }

    /// The state of now, as a server shows it for ever that does not write the log any more.
    func demoted(in history: Int) -> SimulatedLog {
        let copy = snapshot()
        copy.successor = (self, history)
        return copy
    }

    /// The state of now, as a transaction sees it that reads in one snapshot.
    func snapshot() -> SimulatedLog {
        let copy = SimulatedLog(identity.log, partitions: identity.partitions, format: format, witness: witness)
        (copy.events, copy.model, copy.timeline) = (events, model, timeline)
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
        appended[batch.partition, default: 0] += 1
        for event in batch.events {
            trace?("the log has \(event.traced)")
            witness.committed(event)
        }
        return .committed(generation: model.generation(of: batch.partition))
    }

    /// How many commits have appended to the partition.
    func commits(in partition: Partition) -> Int { appended[partition, default: 0] }

    func head(_ partition: Partition) -> PartitionHead {
        let events = events[partition] ?? []
        return PartitionHead(
            partition: partition, nextOffset: LogOffset(Int64(events.count)),
            lastEvent: events.last?.id ?? PartitionHead.noEvent,
            lastRecordedAt: events.last?.recordedAt ?? Timestamp(microseconds: 0),
            generation: model.generation(of: partition))
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
        return isLogged ? .committed(generation: model.generation(of: batch.partition)) : .behind
    }

    /// A commit has waited for the standby, so the standby has everything up to it.
    func replicate() { witness.replicated() }

    func events(of user: UserID, _ partition: Partition, after version: Version, limit: Int) -> [LoggedEvent] {
        Array((events[partition] ?? []).filter { $0.user == user && $0.version > version }.prefix(limit))
    }

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
                user: event.user, version: event.version, firstOffset: first, lastOffset: event.offset,
                revokes: found[event.user]?.revokes == true || event.type == EventType.deviceRevoked.rawValue)
        }
        return found.values.sorted { $0.user < $1.user }
    }
}

extension LoggedEvent {
    fileprivate var traced: String {
        let how = encoding == LoggedEvent.healed ? "healed " : ""
        let what = (try? decoded().body).map { "\($0)".replacing("FocusCore.", with: "").prefix(200) } ?? ""
        return
            "\(partition)/\(offset): version \(version), \(device) \(incarnation.rawValue)/\(sequence), \(how)\(id) \(what)"
    }
}
