import EventStore
import FocusCore
import FocusWire

/// Rules V1 to V4: sessions, of any lane, that watch users of this lane's partitions, and what they are told. The users'
/// events are followed like those of users with sessions here: own commits, and what other servers appended.
///
/// Why V2 holds. A viewer is told what `UserState.visibility` says of the state as it is when the frame is made. The
/// state is committed and in the user's own order, on whichever server: who has folded a status that is later than
/// the removal has folded the removal. What waits (V4) is not a status but the wish to look. And while any lane has not
/// confirmed its heads, nothing is told.
final class LaneWatchers {
    /// Statuses of one frame: each takes at most 200 bytes, far below a frame's limit.
    private static let statusesPerFrame = 1_024

    private var watchers = PeerWatchers()
    private let context: LaneContext
    private let deliveries: DeliveryBatch

    private var now: MonotonicTime { context.clock.monotonic() }

    init(_ context: LaneContext, _ deliveries: DeliveryBatch) {
        (self.context, self.deliveries) = (context, deliveries)
    }

    // MARK: Watching

    func watch(_ handle: SessionHandle, _ viewer: Viewer, _ users: [UserID]) {
        watchers.watch(handle, viewer, users, now: now)
    }

    func unwatch(_ session: UInt64, _ users: [UserID]) { watchers.unwatch(session, users) }

    /// The device took what was queued.
    func resume(_ session: UInt64) { watchers.resume(session, now: now) }

    func close(_ session: UInt64) { watchers.close(session) }

    // MARK: Users

    /// Events of the lane's own changed these rows of the user.
    func changed(_ user: UserID, by keys: [RowKey]) {
        guard watchers.isWatched(user) else { return }
        let isVisible = keys.contains { $0.collection == .focusVisibility || $0.collection == .audience }
        if isVisible { watchers.changed(user) }
    }

    func hear(_ news: UserNews) {
        switch news {
        case .changed(let user), .visibilityChanged(let user): watchers.changed(user)
        case .left, .caughtUp, .missed: break
        }
    }

    /// What these users show may be another, whatever it was.
    func changed(where isChanged: (UserID) -> Bool) {
        for user in watchers.watchedUsers where isChanged(user) { watchers.changed(user) }
    }

    /// Watched users who are to be loaded before their watchers can be told.
    func dequeueAwaitingLoad() -> Set<UserID> { watchers.dequeueAwaitingLoad() }

    // MARK: Telling

    /// When there is something to tell, or to see whether it may be told yet.
    var nextDeadline: MonotonicTime {
        watchers.nextDeadline(now: now, retryMilliseconds: context.configuration.pollMilliseconds / 5)
    }

    /// Tells what is new, and again what is about to end.
    func tell(_ users: some UserDirectory) {
        guard !watchers.isEmpty else { return }
        let now = now
        // Another lane may wait for the database: a viewer may have been revoked there.
        let told = watchers.tell(now: now, mayTell: context.isFresh(since: context.freshness.oldest)) { id, viewer in
            if let user = users[id] {
                user.lastUsed = now.milliseconds
                return user.reading { $0.visibility(to: viewer) }
            }
            // Nobody knows what such a user shares: nothing. They are looked at again when that ends.
            return users.isQuarantined(id) ? [:] : nil
        }
        send(told)
    }

    /// Viewers in a row who are told the same, as most are of one user's change, get the same bytes.
    private func send(_ told: [(SessionHandle, [PeerStatus])]) {
        var last: (statuses: [PeerStatus], frames: [[UInt8]]) = ([], [])
        for (handle, statuses) in told {
            if statuses != last.statuses { last = (statuses, frames(statuses)) }
            for frame in last.frames { deliveries.addRows(frame, to: handle) }
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
