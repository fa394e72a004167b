import FocusCore
import FocusWire

/// Rules V1 to V4: sessions, of any lane, that watch users of this lane's partitions. Their events are followed like those
/// of users with sessions here: own commits, and what other servers appended, which `catchUp` finds.
///
/// Why V2 holds. A viewer is told what `UserState.visibility` says of the state as it is when the frame is made. The
/// state is committed and in the user's own order, on whichever server: who has folded a status that is later than
/// the removal has folded the removal. What waits (V4) is not a status but the wish to look. And while any lane has not
/// confirmed its heads, nothing is told.
extension LaneWorker {
    /// Statuses of one frame: each takes at most 200 bytes, far below a frame's limit.
    private static let statusesPerFrame = 1_024

    func watch(_ handle: SessionHandle, _ viewer: Viewer, _ users: [UserID]) {
        peers.watch(handle, viewer, users, now: context.clock.monotonic())
    }

    /// Takes note of what may show to watchers, after changes to `keys`.
    func notePeer(_ user: UserID, changed keys: [RowKey]) {
        guard peers.isWatched(user) else { return }
        if keys.contains(where: { $0.collection == .focusVisibility || $0.collection == .audience }) {
            peers.changed(user)
        }
    }

    /// Tells watchers what is new, and again what is about to end.
    func tellPeers() {
        guard !peers.isEmpty else { return }
        let now = context.clock.monotonic()
        // Another lane may wait for the database: a viewer may have been revoked there.
        let mayTell =
            now - context.freshness.oldest < configuration.freshnessMilliseconds
            && context.primary?.vouches(within: configuration.freshnessMilliseconds) ?? true
        tell(peers.tell(now: now, mayTell: mayTell, visible: visible))
    }

    /// Nil: the user is to be loaded first.
    private func visible(_ id: UserID, to viewer: Viewer) -> [AppID: Bool]? {
        if let user = users[id] {
            user.lastUsed = context.clock.monotonic().milliseconds
            return user.reading { $0.visibility(to: viewer) }
        }
        // Nobody knows what such a user shares: nothing. They are looked at again when that ends.
        return users.isQuarantined(id) ? [:] : nil
    }

    /// Viewers in a row who are told the same, as most are of one user's change, get the same bytes.
    private func tell(_ told: [(SessionHandle, [PeerStatus])]) {
        var last: (statuses: [PeerStatus], frames: [[UInt8]]) = ([], [])
        for (handle, statuses) in told {
            if statuses != last.statuses { last = (statuses, frames(statuses)) }
            for frame in last.frames {
                handle.outbox.add(frame.count)
                deliveries.add(.rows(frame: frame), to: handle)
            }
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
