import FocusCore

/// What the last update of a feed made. Feeds that stood as that one did, and whose viewers see the same, get the same
/// without making it anew: after one user's change that is nearly all of them.
struct MadeUpdate {
    private let before: PeerFeed
    private let seen: [AppID: Bool]
    private let user: UserID
    private let scope: Scope
    private let after: PeerFeed
    private let statuses: [PeerStatus]

    /// Updates the watch's feed.
    /// - Parameters:
    ///   - seen: what its viewer may see of the user now.
    ///   - last: the update that was made before, at the same time; becomes this one if it is of no use.
    /// - Returns: what to tell.
    static func update(
        _ watch: PeerWatch, _ seen: [AppID: Bool], now: MonotonicTime, last: inout MadeUpdate?
    ) -> [PeerStatus] {
        let viewer = watch.watcher.viewer
        if let last, last.user == watch.user, last.scope == viewer.scope, last.seen == seen, last.before == watch.feed {
            watch.feed = last.after
            return last.statuses
        }
        let before = watch.feed
        let statuses = watch.feed.update(seen, of: watch.user, to: viewer, now: now)
        last = MadeUpdate(
            before: before, seen: seen, user: watch.user, scope: viewer.scope, after: watch.feed, statuses: statuses)
        return statuses
    }
}
