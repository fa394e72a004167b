import EventStore
import FocusCore
import FocusWire
import Foundation
import Logging

/// Rules T1 and T3: what becomes due is an event, which the server appends through the ordinary path. Validation
/// makes a second attempt, also of another server, harmless: whoever comes second finds that nothing is due any more.
///
/// Flow: who may be due, by what the lane knows and by the read model → load them → stage their events with the
/// devices'.
///
/// Why nobody is missed. `UserState.dueAt` is a function of a user's rows. The projector writes it into
/// `users.due_at` in the transaction that writes those rows and their version. So at any moment a user is
///   - shown by the read model at his last version: then `due_at` is right, and the look at it finds him, in memory
///     or not;
///   - or he has events past the checkpoint. Then every server has him in `unprojected` of his partition: from its
///     start (`begin` reads who has events from the checkpoint on), from its own commits, or from catching up with
///     those of others. `dueTimes` says when he is due, and keeps saying so when he leaves memory; where it does not
///     know, the next look loads him. He leaves `unprojected` when a projection at his last offset is committed: the
///     case above.
/// A projection that a crash of PostgreSQL loses takes the checkpoint back with it, which the next look sees, and
/// `fallBack` puts the user in again; so it does for everybody past the checkpoint when another server takes over.
///
/// What it costs when nothing is due: four statements per lane and second, of which one probes an index once per
/// partition and reads no row, one reads the checkpoints, one the partitions' last events and one no table; and a walk
/// over `dueTimes`.
extension LaneWorker {
    /// Nothing will be due before the next event.
    private static let never = Timestamp(microseconds: .max)

    /// Whether it is time to look again.
    func isTimeToLook() -> Bool { context.clock.monotonic() >= nextLookAtTime }

    /// Loads who may be due: of each kind as many as a look takes up. Before anything is staged, as loading may find
    /// that others have appended.
    func lookForDue() throws {
        let now = context.clock.wall()
        let found: [DueUser]
        do {
            if !dueLook.isUnderWay {
                try store.verifyAnchors()
                if !context.format.hasIncarnations { context.format.raise(to: try store.logFormat()) }
                try lookForLoss()
            }
            found = try lookAtReadModel(now)
        } catch EventStoreError.noGeneration {
            // That generation was dropped: which one is shown now, the heads say.
            headsMayHaveMoved = true
            nextLookAtTime = context.clock.monotonic().adding(milliseconds: configuration.pollMilliseconds)
            return
        }
        let unknown = Set(
            partitions.values.lazy.flatMap { $0.unprojected.keys }
                .filter { [self] in dueTimes[$0] == nil && !isQuarantined($0) }.prefix(configuration.loadsPerProjection)
        )
        let gone = dueUsers(now, areInMemory: false)
        try load(unknown.union(gone).union(found.map(\.user)))
        for user in found { setRight(user) }
        // More whose time is unknown wait for the next look: mostly another server has just heard from them, has them
        // in memory and projects them, and loading all of its users at once would hinder our own.
        let isDone = !dueLook.isUnderWay && gone.count < configuration.dueUsersPerLook
        nextLookAtTime = context.clock.monotonic().adding(milliseconds: isDone ? configuration.lookMilliseconds : 0)
    }

    /// Stages events of users who are due and in memory.
    func stageDue(into staging: inout AppendStaging) {
        let due = dueUsers(staging.now, areInMemory: true)
        for id in due.sorted() {
            if let user = users[id] { stageDue(user, into: &staging) }
        }
        if due.count == configuration.dueUsersPerLook { nextLookAtTime = context.clock.monotonic() }
    }

    private func stageDue(_ user: CachedUser, into staging: inout AppendStaging) {
        let recordedAt = recordingTime(user.partition, staging)
        // Each kind once: what a Focus gives free now waits for a later summary.
        for _ in 0..<2 {
            guard let due = user.state.dueEvent(at: recordedAt) else { return }
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: user.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
                id: EventID(UUID()), app: nil, occurredAt: due.at.stored, recordedAt: recordedAt, body: due.body)
            if let refusal = user.state.validate(event, scope: .system) {
                // The fold disagrees with itself: another try would end the same, until his next event.
                context.logger.error("due event refused", metadata: ["user": "\(user.id)", "code": "\(refusal.code)"])
                dueTimes[user.id] = Self.never
                return
            }
            let payload = PayloadCodec.encode(event.body)
            let logged = (event.body.type, FocusWire.payloadSchemaVersion, payload)
            guard record(event, logged, user, into: &staging) else { return }
        }
    }

    // MARK: Who is due

    /// As many as a look takes up, whoever they are: they are not due any more then, and the next look finds others.
    private func dueUsers(_ now: Timestamp, areInMemory: Bool) -> [UserID] {
        dueTimes.lazy.filter { [self] in $0.value <= now && (users[$0.key] != nil) == areInMemory }
            .prefix(configuration.dueUsersPerLook).map(\.key)
    }

    /// A page of each partition.
    private func lookAtReadModel(_ now: Timestamp) throws -> [DueUser] {
        dueLook.begin(partitions.keys, at: now)
        let limit = max(1, configuration.dueUsersPerLook / max(1, dueLook.places.count))
        var page: [DueUser] = []
        // One generation, but for the time of a cut-over.
        let places = Dictionary(grouping: dueLook.places) { partitions[$0.key]!.head.generation }
        for (generation, places) in places {
            page += try store.dueUsers(
                after: Dictionary(uniqueKeysWithValues: places.map { ($0.key, $0.value) }), until: dueLook.until,
                limit: limit, generation: generation)
        }
        dueLook.advance(past: page, limit: limit)
        return page
    }

    /// The read model may say that a user is due who is not: zone data changed, or nobody knew better when the column
    /// was made. He is projected once more.
    private func setRight(_ found: DueUser) {
        guard let user = users[found.user], var state = partitions[found.partition],
            state.unprojected[user.id] == nil, dueTime(of: user).map({ $0 > dueLook.until }) ?? true
        else { return }
        // No event of his stands at it, and none will: it cannot be taken for one that comes in the meantime.
        state.unprojected[user.id] = state.head.nextOffset.advanced(by: -1)
        partitions[found.partition] = state
    }

    private func isQuarantined(_ id: UserID) -> Bool {
        quarantined[id].map { $0 > context.clock.monotonic() } ?? false
    }

    // MARK: When

    /// When something may be due for the user, as he is in memory.
    func dueTime(of user: CachedUser) -> Timestamp? {
        if dueTimes[user.id] == nil { noteDue(user) }
        return dueTimes[user.id].flatMap { $0 == Self.never ? nil : $0 }
    }

    /// Takes note of when something is due, after changes to `keys`; nil: after any.
    func noteDue(_ user: CachedUser, changed keys: some Sequence<RowKey>) {
        // What else the fold remembers moves no timer: those two rows carry all that they depend on in their memos.
        let moves = keys.contains { $0.collection == .activeFocus || $0.collection == .deliverySchedule }
        if moves || dueTimes[user.id] == nil { noteDue(user) }
    }

    func noteDue(_ user: CachedUser) {
        dueTimes[user.id] = user.state.dueAt ?? Self.never
        guard user.state.dueZoneIsUnknown else { return }
        let zone = user.state.summarySchedule?.timeZone.prefix(64) ?? ""
        context.logger.notice(
            "unknown time zone: summaries come by UTC", metadata: ["user": "\(user.id)", "zone": "\(zone)"])
    }

    /// The user is not in memory: when he is due need only be known as long as the read model does not.
    func forgetDue(_ id: UserID, _ partition: Partition) {
        if partitions[partition]?.unprojected[id] == nil { dueTimes[id] = nil }
    }
}
