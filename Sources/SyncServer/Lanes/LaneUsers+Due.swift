import EventStore
import FocusCore
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
///   - shown by the read model at their last version: then `due_at` is right, and the scan of it finds them, in memory
///     or not;
///   - or has events past the checkpoint. Then every server has them in its `ProjectionBacklog`: from its start
///     (`LaneLog.begin` reads who has events from the checkpoint on), from its own commits, or from catching up with
///     those of others. `DueSchedule` says when they are due, and keeps saying so when they leave memory; where it does
///     not know, the next look loads them. They leave the backlog when a projection at their last offset is committed:
///     the case above.
/// A projection that a crash of PostgreSQL loses takes the checkpoint back with it, which the next look sees
/// (`LaneLog.lookForLoss`), and puts the user in again; so it does for everybody past the checkpoint when another server
/// takes over.
///
/// What it costs when nothing is due: four statements per lane and second, of which one probes an index once per
/// partition and reads no row, one reads the checkpoints, one the partitions' last events and one no table; and a walk
/// over the schedule.
extension LaneUsers {
    /// What a look takes up, before anything is staged: loading may find that others have appended.
    struct DueLook {
        /// Those whom the read model names.
        var found: [DueUser]
        /// Who is to be in memory for it: of each kind as many as a look takes up.
        var users: Set<UserID>
        /// Nobody who is due was left out.
        var isWhole: Bool
    }

    /// - Parameter found: a page of `due.scan`.
    func look(_ found: [DueUser], at now: Timestamp) -> DueLook {
        let unknown = backlog.users(limit: configuration.loadsPerProjection) {
            !due.knows($0) && !resident.isQuarantined($0)
        }
        let gone = dueUsers(now, areInMemory: false)
        return DueLook(
            found: found, users: Set(unknown).union(gone).union(found.map(\.user)),
            isWhole: !due.scan.isUnderWay && gone.count < configuration.dueUsersPerLook)
    }

    /// Its users were loaded, or cannot be. More whose time is unknown wait for the next look: mostly another server has
    /// just heard from them, has them in memory and projects them, and loading all of its users at once would hinder our
    /// own.
    /// - Parameter head: the partition's.
    func end(_ look: DueLook, head: (Partition) -> PartitionHead) {
        for user in look.found { requeueForProjection(user, head(user.partition)) }
        lookAgain(after: look.isWhole ? configuration.lookMilliseconds : 0)
    }

    func lookAgain(after milliseconds: Int64) {
        due.look(at: context.clock.monotonic().adding(milliseconds: milliseconds))
    }

    /// The read model may say that a user is due who is not: zone data changed, or nobody knew better when the column
    /// was made. They are projected once more.
    private func requeueForProjection(_ found: DueUser, _ head: PartitionHead) {
        guard let user = resident[found.user], !backlog.isBehind(user.id, in: found.partition),
            dueTime(of: user).map({ $0 > due.scan.until }) ?? true
        else { return }
        // None of their events stands at it, and none will: it cannot be taken for one that comes in the meantime.
        backlog.note(user.id, at: head.nextOffset.advanced(by: -1), in: found.partition)
    }

    // MARK: Staging

    /// Stages events of users who are due and in memory.
    func stageDue(into staging: inout AppendStaging) {
        let users = dueUsers(staging.now, areInMemory: true)
        for id in users.sorted() {
            if let user = resident[id] { stageDue(user, into: &staging) }
        }
        if users.count == configuration.dueUsersPerLook { lookAgain(after: 0) }
    }

    private func stageDue(_ user: CachedUser, into staging: inout AppendStaging) {
        let recordedAt = staging.recordingTime(of: user.partition)
        // Each kind once: what a Focus gives free now waits for a later summary.
        for _ in 0..<2 {
            guard let due = user.state.dueEvent(at: recordedAt) else { return }
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: user.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
                id: EventID(UUID()), app: nil, occurredAt: due.at.stored, recordedAt: recordedAt, body: due.body)
            if let refusal = user.state.validate(event, scope: .system) {
                // The fold disagrees with itself: another try would end the same, until the user's next event.
                context.logger.error("due event refused", metadata: ["user": "\(user.id)", "code": "\(refusal.code)"])
                self.due.schedule(user.id, at: nil)
                return
            }
            do {
                try staging.record(event, LoggedPayload(event.body), user)
            } catch {
                return quarantine(user.id, error)
            }
        }
    }

    /// As many as a look takes up, whoever they are: they are not due any more then, and the next look finds others.
    private func dueUsers(_ now: Timestamp, areInMemory: Bool) -> [UserID] {
        due.users(due: now, limit: configuration.dueUsersPerLook) { (resident[$0] != nil) == areInMemory }
    }

    // MARK: When

    /// When something is due for a user in memory; nil: never.
    func dueTime(of user: CachedUser) -> Timestamp? {
        if !due.knows(user.id) { reschedule(user) }
        return due[user.id]
    }

    func reschedule(_ user: CachedUser) {
        due.schedule(user.id, at: user.state.dueAt)
        guard user.state.dueZoneIsUnknown else { return }
        let zone = user.state.summarySchedule?.timeZone.prefix(64) ?? ""
        context.logger.notice(
            "unknown time zone: summaries come by UTC", metadata: ["user": "\(user.id)", "zone": "\(zone)"])
    }

    /// The user is not in memory: when something is due for them need only be known while the read model is behind.
    func forgetDueTime(of id: UserID, _ partition: Partition) {
        if !backlog.isBehind(id, in: partition) { due.forget(id) }
    }
}
