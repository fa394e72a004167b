import EventStore
import FocusCore
import FocusWire

/// Tells watching sessions whether users have a Focus on (rules V1 to V4), and whoever asks whether a message would
/// reach a user (rules F6, V5).
///
/// A lane answers for the users of its own partitions; the sessions that watch them may belong to any lane. The lane
/// learns of changes from its own commits and from the events of other servers.
///
/// Why V2 holds. A frame is made from the committed state of the moment (`UserState.visibility`). Every server folds a
/// user's events in the same order, so a state that has a status later than a removal has the removal too. Where V4
/// makes a change wait, no status is stored meanwhile, only that the state is to be looked at again. And no frame is
/// sent while any lane has not confirmed its heads.
final class LaneWatchers {
    /// How many statuses go into one frame. Each takes at most 200 bytes, so a frame stays far below its limit (rule
    /// W1).
    private static let statusesPerFrame = 1_024

    private var watchers = PeerWatchers()
    /// See `LaneWatchers+Reach`.
    var questions = PeerQuestions()
    private var audiences = PendingAudiences()
    let context: LaneContext
    let deliveries: DeliveryBatch

    var now: MonotonicTime { context.clock.monotonic() }

    init(_ context: LaneContext, _ deliveries: DeliveryBatch) {
        (self.context, self.deliveries) = (context, deliveries)
    }

    // MARK: Watching

    func watch(_ handle: SessionHandle, _ viewer: Viewer, _ users: [UserID]) {
        watchers.watch(handle, viewer, users, now: now)
    }

    func unwatch(_ session: UInt64, _ users: [UserID]) { watchers.unwatch(session, users) }

    /// Sends again to a session whose queue was full: its device has read what was queued.
    func resume(_ session: UInt64) { watchers.resume(session, now: now) }

    func close(_ session: UInt64) {
        watchers.close(session)
        questions.close(session)
    }

    // MARK: Users

    /// Looks at the user again if others may see the difference.
    /// - Parameter keys: the rows that the lane's own events have changed.
    func changed(_ user: UserID, by keys: [RowKey]) {
        guard watchers.isWatched(user) else { return }
        let isVisible = keys.contains { $0.collection == .focusVisibility || $0.collection == .audience }
        if isVisible { changed(user) }
    }

    func hear(_ news: UserNews) {
        switch news {
        case .changed(let user), .visibilityChanged(let user): changed(user)
        case .left, .caughtUp, .missed, .missedRevocation, .forgetsRevocations: break
        }
    }

    /// Looks at these users again: what they show may have changed in any way.
    func changed(where isChanged: (UserID) -> Bool) {
        for user in watchers.watchedUsers where isChanged(user) { changed(user) }
    }

    private func changed(_ user: UserID) {
        watchers.changed(user)
        questions.changed(user)
        audiences.changed(user)
    }

    /// Asks again for the audiences that an answer is awaited of: it would not be known what became of their users.
    func restart() { audiences.restart() }

    /// Has the loader reach the database anew with the next question for audiences.
    func reconnect() { audiences.reconnect() }

    /// The next question for audiences; nil when there is none now.
    /// - Parameter head: gives the head of a partition as the lane knows it.
    func ask(head: (Partition) -> PartitionHead) -> AudienceQuestion? {
        audiences.ask(now: now, head: head)
    }

    /// Takes up what the database said of audiences.
    /// - Parameter isKnown: whether the lane's log leads through the moment at which the partition ended there.
    func takeUp(_ answer: AudienceAnswer, isKnown: (PartitionHead) -> Bool) {
        let pause = context.configuration.pollMilliseconds
        for (entry, isPossible) in audiences.takeUp(answer, now: now, pauseMilliseconds: pause, isKnown: isKnown) {
            let viewer = Viewer(user: entry.viewer, scope: entry.app.map(Scope.app) ?? .system)
            watchers.learned(entry.user, viewer, isPossible: isPossible, now: now)
            questions.learned(entry.user, viewer, isPossible: isPossible)
        }
    }

    /// The users who have to be loaded before those who watch them or ask about them can be told.
    var awaitingLoad: Set<UserID> { watchers.awaitingLoad.union(questions.awaitingLoad) }

    /// Looks again at users who were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    func endWaits(_ isAwaiting: (UserID) -> Bool) {
        watchers.endWaits(isAwaiting)
        questions.endWaits(isAwaiting)
    }

    // MARK: Telling

    /// When to call `sendStatuses` next.
    var nextDeadline: MonotonicTime {
        let (now, retry) = (now, context.configuration.pollMilliseconds / 5)
        let next = watchers.nextDeadline(now: now, retryMilliseconds: retry)
        let others = [audiences.nextQuestion, questions.nextDeadline(now: now, retryMilliseconds: retry)]
        return others.compactMap(\.self).reduce(next, min)
    }

    /// Tells what has changed, and renews statuses that are about to lose their validity (rule V3).
    func sendStatuses(_ users: some UserDirectory) {
        guard !watchers.isEmpty else { return }
        let now = now
        // The watchers of one user come one after the other.
        var last: (id: UserID, user: CachedUser?)?
        // All lanes must be fresh: the event that revoked a viewer's device may be in any of them.
        let told = watchers.statusesToSend(now: now, mayTell: context.isFresh(since: context.freshness.oldest)) {
            id, viewer in
            let user = last?.id == id ? last?.user : users[id]
            last = (id, user)
            if let user {
                user.lastUsed = now.milliseconds
                return user.reading { $0.visibility(to: viewer) }
            }
            // What a quarantined user shares is unknown, so nothing is shown. Their quarantine's end brings another
            // look.
            return users.isQuarantined(id) ? [:] : nil
        }
        need(watchers.takeUnsure())
        send(told)
    }

    /// Has the database asked whether these viewers may be in the audiences of users who are not in memory.
    func need(_ unsure: [(user: UserID, viewer: Viewer)]) {
        for (user, viewer) in unsure {
            audiences.need(
                AudienceEntry(
                    partition: context.log.partition(of: user), user: user, viewer: viewer.user,
                    app: viewer.scope.app))
        }
    }

    /// Sends the statuses. Viewers in a row who are told the same get the same bytes; after one user's change most are.
    private func send(_ told: [(SessionHandle, [PeerStatus])]) {
        var last: (statuses: [PeerStatus], frames: [[UInt8]]) = ([], [])
        for (handle, statuses) in told {
            if statuses != last.statuses { last = (statuses, frames(statuses)) }
            for frame in last.frames { deliveries.addStatuses(frame, to: handle) }
        }
    }

    private func frames(_ statuses: [PeerStatus]) -> [[UInt8]] {
        let now = context.clock.wall()
        return stride(from: 0, to: statuses.count, by: Self.statusesPerFrame).map { first in
            let some = statuses[first..<min(first + Self.statusesPerFrame, statuses.count)]
            return FrameCodec.frame(.peerStatuses(PeerStatuses(Array(some), now: now)))
        }
    }
}
