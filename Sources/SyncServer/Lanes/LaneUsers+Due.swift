import EventStore
import FocusCore
import Foundation
import Logging

/// Rules T1, T3 and T4: what falls due is an event, which the server appends like any other. If two servers try, validation
/// makes the second attempt harmless: nothing is due any more then.
///
/// Flow: who may be due, by the lane's schedule and by the read model → have them loaded → stage the events of those
/// who are in memory, with those of devices.
///
/// Why nobody is missed. `UserState.dueAt` is a function of a user's rows. The projector writes it to `users.due_at` in
/// the transaction that writes those rows and their version. So at any moment one of two things holds for a user:
///   - The read model shows them at their last version. Then `due_at` is right, and the scan finds them, whether they
///     are in memory or not.
///   - They have events past the checkpoint, or are a laggard. Then every server has them in its `ProjectionBacklog`:
///     since its start (`LaneLog.begin` reads who has events from the checkpoint on, and the laggards), by its own
///     commits, or by catching up with those of others. `DueSchedule` holds the time at which something is due for them, also when they leave memory; if it
///     does not know the time, the next look loads them. They leave the backlog when a projection at their last offset
///     is committed, and then the first case holds.
///
/// A projection that PostgreSQL loses in a crash takes the checkpoint back with it. The next look notices that
/// (`LaneLog.checkForLoss`) and puts the users past it into the backlog again. It does the same when another PostgreSQL
/// server takes over.
///
/// Costs when nothing is due, for each lane and second: a walk over the schedule and four statements. One probes an
/// index once for each partition and reads no row, one reads the checkpoints, one the partitions' last events, one no
/// table.
extension LaneUsers {
    /// Looks for users who are due. Those who are not in memory are loaded, and looked at when they arrive.
    ///
    /// Users past the look's bound whose time is unknown do not hasten the next look. Most of them are in use on
    /// another server, which projects them soon, and to load them all at once would hinder this lane's own users.
    /// - Parameters:
    ///   - found: the users that a page of `due.scan` names.
    ///   - now: the wall clock's time.
    ///   - head: gives a partition's head as the lane knows it.
    func look(_ found: [DueUser], at now: Timestamp, head: (Partition) -> PartitionHead) {
        let unknown = backlog.users(limit: configuration.loadsPerProjection) {
            !due.knows($0) && !due.awaits($0) && !resident.isQuarantined($0)
        }
        let gone = dueUsers(now) { resident[$0] == nil && !due.awaits($0) }
        for id in (unknown + gone).sorted() { awaitDue(id, .scheduled) }
        for found in found {
            if let user = resident[found.user] {
                requeueForProjection(user, head(found.partition))
            } else {
                awaitDue(found.user, .named)
            }
        }
        let isWhole = !due.scan.isUnderWay && gone.count < configuration.dueUsersPerLook
        scheduleLook(after: isWhole ? configuration.lookMilliseconds : 0)
    }

    private func awaitDue(_ id: UserID, _ reason: DueSchedule.Reason) {
        guard resident.isAwaitingLoad(id) else { return }
        due.wait(for: id, reason)
        loads.need(id)
    }

    func scheduleLook(after milliseconds: Int64) {
        due.scheduleLook(at: context.clock.monotonic().adding(milliseconds: milliseconds))
    }

    /// When to look next; nil while those of earlier looks have to be loaded first.
    var nextLook: MonotonicTime? { due.awaitedCount < configuration.dueUsersPerLook ? due.nextLook : nil }

    /// Puts a user whom the read model names into the backlog if nothing is due for them, so that their `due_at` is
    /// written again. It is wrong when zone data has changed, or when a migration filled the column with a guess.
    /// - Parameter head: a head of the user's partition; every event of the user stands below it.
    func requeueForProjection(_ user: CachedUser, _ head: PartitionHead) {
        guard dueTime(of: user).map({ $0 > due.scan.until }) ?? true else { return }
        markForProjection(user, head)
    }

    /// Puts a user into the backlog of whom the read model has every event, to have written what it shows beside rows.
    /// - Parameter head: as of `requeueForProjection`.
    func markForProjection(_ user: CachedUser, _ head: PartitionHead) {
        guard head.nextOffset > .zero, !backlog.isBehind(user.id, in: user.partition) else { return }
        // The backlog needs an offset. No event of the user will stand at this one, so an event that comes in the
        // meantime is told from it.
        backlog.markDirty(user.id, at: head.nextOffset.advanced(by: -1), in: user.partition)
    }

    // MARK: Staging

    /// The partitions of users who are in memory and for whom something is due.
    func duePartitions() -> Set<Partition> {
        Set(dueUsers(context.clock.wall()) { resident[$0] != nil }.compactMap { resident[$0]?.partition })
    }

    /// Stages the events of users who are in memory and for whom something is due, in partitions that the statement is
    /// for.
    func stageDue(into staging: inout AppendStaging) {
        due.takeArrivals()
        let users = dueUsers(staging.now) { resident[$0] != nil }
        for id in users.sorted() {
            guard let user = resident[id], staging.carries(user.partition) else { continue }
            // What is left is due at once.
            guard staging.hasRoomForDue(configuration) else { return scheduleLook(after: 0) }
            stageDue(user, into: &staging)
        }
        if users.count == configuration.dueUsersPerLook { scheduleLook(after: 0) }
    }

    private func stageDue(_ user: CachedUser, into staging: inout AppendStaging) {
        let recordedAt = staging.recordingTime(of: user.partition)
        // The end of the one active Focus and the latest of the summaries that were missed can be due at once, and
        // before, between and after them alerts that ring elsewhere. More would wait for the next look.
        for _ in 0..<5 {
            guard let due = user.state.dueEvent(at: recordedAt) else { return }
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: user.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
                id: EventID(UUID()), app: nil, occurredAt: due.at.stored, recordedAt: recordedAt, body: due.body)
            if let refusal = user.state.validate(event, scope: .system) {
                // The rules contradict each other. Another attempt would end the same way, so none is made before the
                // user's next event.
                context.logger.error("due event refused", metadata: ["user": "\(user.id)", "code": "\(refusal.code)"])
                self.due.schedule(user.id, at: nil)
                return
            }
            do {
                try staging.record(event, LoggedPayload(event.body), user)
            } catch {
                return quarantine(user.id, error)
            }
            // What else is due shows when this is folded.
            guard !staging.isUnfolded(user.id) else { return }
        }
    }

    /// Up to `dueUsersPerLook` users who are due, in no order. Once their events are appended they are not due any
    /// more, so the next look finds others.
    private func dueUsers(_ now: Timestamp, where isWanted: (UserID) -> Bool) -> [UserID] {
        due.users(due: now, limit: configuration.dueUsersPerLook, where: isWanted)
    }

    // MARK: When

    /// When something is due for a user in memory; nil when nothing is before their next event.
    func dueTime(of user: CachedUser) -> Timestamp? {
        if !due.knows(user.id) { reschedule(user) }
        return due[user.id]
    }

    /// Derives the user's due time from their state.
    func reschedule(_ user: CachedUser) {
        due.schedule(user.id, at: user.reading { $0.dueAt })
        guard user.reading({ $0.dueZoneIsUnknown }) else { return }
        let zone = user.state.summarySchedule?.timeZone.prefix(64) ?? ""
        context.logger.notice(
            "unknown time zone: summaries come by UTC", metadata: ["user": "\(user.id)", "zone": "\(zone)"])
    }

    /// Forgets the due time of a user who is not in memory, unless the read model lacks events of theirs:
    /// `users.due_at` is wrong until it has them.
    func forgetDueTime(of id: UserID, _ partition: Partition) {
        if !backlog.isBehind(id, in: partition) { due.forget(id) }
    }
}
