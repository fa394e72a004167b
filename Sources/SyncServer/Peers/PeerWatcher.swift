import FocusCore

/// A session that watches users. A class, because one change may concern a thousand of them: none is to be copied, and
/// none to be looked up again.
final class PeerWatcher {
    let handle: SessionHandle
    let viewer: Viewer
    /// When the statuses that the session was told are renewed (rule V3).
    var renewsAt: MonotonicTime
    /// Whether the device does not take what it is sent (rule L1). Once it does, it is told what holds then.
    var isBehind = false

    init(_ handle: SessionHandle, _ viewer: Viewer, renewsAt: MonotonicTime) {
        self.handle = handle
        self.viewer = viewer
        self.renewsAt = renewsAt
    }

    /// Whether the session can be told more. If not, marks it as behind until somebody says otherwise.
    func hasRoom() -> Bool {
        guard !isBehind else { return false }
        isBehind = !handle.quota.hasRoom()
        return !isBehind
    }
}

/// One user as one session watches them: what it was told, and what keeps it from being told more.
final class PeerWatch {
    let watcher: PeerWatcher
    let user: UserID
    var feed = PeerFeed()
    /// Whether it waits to be looked at.
    var isDue = false
    /// Whether the database is to say first if the viewer may be in the audience of the user, who is not in memory.
    var isUnsure = false
    /// Whether the viewer is not in the user's audience, until that is told.
    var isExcluded = false
    /// Whether the session does not watch the user any more.
    var hasEnded = false

    init(_ watcher: PeerWatcher, _ user: UserID) { (self.watcher, self.user) = (watcher, user) }
}
