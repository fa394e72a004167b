import FocusCore

/// Who watches the users of a lane's partitions, what each watcher was told, and what is to be told next. Bounded by
/// the sessions and by what each may watch (`SessionLimits.watchedUsers`).
struct PeerWatchers {
    /// A session that watches users. A class, because one change may concern a thousand of them, and none is to be
    /// copied.
    final class Watcher {
        let handle: SessionHandle
        let viewer: Viewer
        var feeds: [UserID: PeerFeed] = [:]
        /// When the statuses that the session was told are renewed (rule V3).
        var renewsAt: MonotonicTime
        /// Whether the device does not take what it is sent (rule L1). Once it does, it is told what holds then.
        var isBehind = false

        init(_ handle: SessionHandle, _ viewer: Viewer, renewsAt: MonotonicTime) {
            self.handle = handle
            self.viewer = viewer
            self.renewsAt = renewsAt
        }

        /// Whether the session can be told more. If not, marks it as behind until `resume`.
        func hasRoom() -> Bool {
            guard !isBehind else { return false }
            isBehind = !handle.quota.hasRoom()
            return !isBehind
        }
    }

    /// Names the feed of a session and a user.
    struct Due: Hashable {
        var session: UInt64
        var user: UserID
    }

    private static let never = MonotonicTime(milliseconds: .max / 2)

    private(set) var sessions: [UInt64: Watcher] = [:]
    private var watchersOfUser: [UserID: Set<UInt64>] = [:]
    /// Feeds that may have something to tell, now or when V4 allows it, but for those of users in `awaitingLoad`.
    private(set) var due: Set<Due> = []
    /// When `due` is to be looked through next: none of its feeds has anything to tell before.
    private(set) var nextLook = never
    /// When renewals are to be looked for next: no session needs one before.
    private(set) var nextRenewal = never
    /// Watched users who could not be looked at, because they are not in memory. Their feeds are due once they are.
    private(set) var awaitingLoad: Set<UserID> = []
    /// Feeds of users who are not in memory: whether the viewer may be in the user's audience is to be asked first.
    private var unsure: Set<Due> = []
    /// Those of them that nobody has asked for yet.
    private var unasked: [Due] = []
    /// Feeds whose viewer is not in the user's audience, until that is told.
    private var excluded: Set<Due> = []
    /// Whether nothing might be told at the last call of `statusesToSend`.
    private var isHeldBack = false

    var isEmpty: Bool { sessions.isEmpty }

    func isWatched(_ user: UserID) -> Bool { watchersOfUser[user] != nil }

    var watchedUsers: [UserID] { Array(watchersOfUser.keys) }

    // MARK: Watching

    /// Makes the session watch these users; it is told their current statuses first, also of users that it watches
    /// already.
    mutating func watch(_ handle: SessionHandle, _ viewer: Viewer, _ users: [UserID], now: MonotonicTime) {
        let watcher =
            sessions[handle.id]
            ?? Watcher(handle, viewer, renewsAt: now.adding(milliseconds: Self.renewal(handle.id)))
        for user in users {
            watcher.feeds[user, default: PeerFeed()].asked()
            watchersOfUser[user, default: []].insert(handle.id)
            due.insert(Due(session: handle.id, user: user))
        }
        sessions[handle.id] = watcher
        nextLook = min(nextLook, now)
        nextRenewal = min(nextRenewal, watcher.renewsAt)
    }

    mutating func unwatch(_ session: UInt64, _ users: [UserID]) {
        for user in users {
            guard sessions[session]?.feeds.removeValue(forKey: user) != nil else { continue }
            forget(session, user)
        }
        if sessions[session]?.feeds.isEmpty == true { sessions[session] = nil }
    }

    mutating func close(_ session: UInt64) {
        guard let watcher = sessions.removeValue(forKey: session) else { return }
        for user in watcher.feeds.keys { forget(session, user) }
    }

    private mutating func forget(_ session: UInt64, _ user: UserID) {
        let entry = Due(session: session, user: user)
        for set in [\Self.due, \.unsure, \.excluded] { self[keyPath: set].remove(entry) }
        watchersOfUser[user]?.remove(session)
        if watchersOfUser[user]?.isEmpty == true { watchersOfUser[user] = nil }
    }

    // MARK: Changes

    /// Marks the user's feeds as due: something happened to the user that others may see.
    mutating func changed(_ user: UserID) {
        for session in watchersOfUser[user] ?? [] {
            sessions[session]?.feeds[user]?.changed()
            excluded.remove(Due(session: session, user: user))
            enqueue(Due(session: session, user: user))
        }
    }

    private mutating func enqueue(_ entry: Due) {
        guard let deadline = sessions[entry.session]?.feeds[entry.user]?.deadline else { return }
        due.insert(entry)
        nextLook = min(nextLook, deadline)
    }

    /// Sends again to a session whose queue was full: its device has read what was queued.
    mutating func resume(_ session: UInt64, now: MonotonicTime) {
        guard sessions[session]?.isBehind == true else { return }
        sessions[session]?.isBehind = false
        nextLook = min(nextLook, now)
        nextRenewal = min(nextRenewal, now)
    }

    // MARK: Telling

    /// The statuses to send now, by session: those that changed, and those that are renewed.
    /// - Parameters:
    ///   - mayTell: false while any lane has not confirmed its heads: then there are none.
    ///   - visible: gives what a viewer may see of a user; nil when the user is not in memory.
    mutating func statusesToSend(
        now: MonotonicTime, mayTell: Bool, visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [(SessionHandle, [PeerStatus])] {
        isHeldBack = !mayTell
        guard mayTell else { return [] }
        return news(now, visible) + renewals(now, visible)
    }

    /// When to call `statusesToSend` next.
    /// - Parameter retryMilliseconds: how long to wait after a call at which nothing might be told.
    func nextDeadline(now: MonotonicTime, retryMilliseconds: Int64) -> MonotonicTime {
        isHeldBack ? now.adding(milliseconds: retryMilliseconds) : min(nextLook, nextRenewal)
    }

    /// Makes the feeds of users due who were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    mutating func endWaits(_ isAwaiting: (UserID) -> Bool) {
        for user in awaitingLoad where !isAwaiting(user) {
            awaitingLoad.remove(user)
            for session in watchersOfUser[user] ?? [] { enqueue(Due(session: session, user: user)) }
        }
    }

    /// Removes and returns the users who are not in memory, and the viewers of whom it is to be asked whether they are
    /// in the audience; sorted.
    mutating func takeUnsure() -> [(user: UserID, viewer: Viewer)] {
        defer { unasked = [] }
        return unasked.sorted { ($0.session, $0.user) < ($1.session, $1.user) }
            .compactMap { entry in sessions[entry.session].map { (entry.user, $0.viewer) } }
    }

    /// Takes up whether the viewer may be in the audience of a user who is not in memory: if so, the user is to be
    /// loaded.
    mutating func learned(_ user: UserID, _ viewer: Viewer, isPossible: Bool, now: MonotonicTime) {
        for session in watchersOfUser[user] ?? [] where sessions[session]?.viewer == viewer {
            let entry = Due(session: session, user: user)
            guard unsure.remove(entry) != nil else { continue }
            if isPossible {
                awaitingLoad.insert(user)
            } else {
                excluded.insert(entry)
                due.insert(entry)
                nextLook = min(nextLook, now)
            }
        }
    }

    /// The statuses that changed, of feeds that are due and of sessions that have room.
    private mutating func news(
        _ now: MonotonicTime, _ visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [(SessionHandle, [PeerStatus])] {
        guard now >= nextLook else { return [] }
        nextLook = Self.never
        var told: [UInt64: [PeerStatus]] = [:]
        for entry in due {
            guard let watcher = sessions[entry.session], var feed = watcher.feeds[entry.user],
                let deadline = feed.deadline
            else {
                due.remove(entry)
                continue
            }
            guard watcher.hasRoom() else { continue }
            guard deadline <= now else {
                nextLook = min(nextLook, deadline)
                continue
            }
            guard let seen = visible(entry.user, watcher.viewer) ?? (excluded.contains(entry) ? [:] : nil) else {
                if unsure.insert(entry).inserted { unasked.append(entry) }
                due.remove(entry)
                continue
            }
            excluded.remove(entry)
            told[entry.session, default: []] += feed.update(seen, of: entry.user, to: watcher.viewer, now: now)
            watcher.feeds[entry.user] = feed
            due.remove(entry)
        }
        return told.compactMap { session, statuses in
            sessions[session].flatMap { statuses.isEmpty ? nil : ($0.handle, statuses.inOrder) }
        }
    }

    /// The statuses that still hold and are about to lose their validity (rule V3). The sessions' times are spread, so
    /// that sessions which came together are not renewed together. All sessions are looked through four times a second
    /// at most, not with every turn of the lane.
    private mutating func renewals(
        _ now: MonotonicTime, _ visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [(SessionHandle, [PeerStatus])] {
        guard now >= nextRenewal else { return [] }
        nextRenewal = sessions.isEmpty ? Self.never : now.adding(milliseconds: 250)
        var told: [(SessionHandle, [PeerStatus])] = []
        for (session, watcher) in sessions where watcher.renewsAt <= now {
            guard watcher.hasRoom() else { continue }
            guard let statuses = renewal(watcher, visible) else { continue }
            watcher.renewsAt = now.adding(milliseconds: Self.renewal(session))
            if !statuses.isEmpty { told.append((watcher.handle, statuses.inOrder)) }
        }
        return told
    }

    /// What the session was told and is still so. Something may have happened to a user that it may not see, and then
    /// nothing may show it, not even that this user is left out (rule Z1); what it may see is told as a change.
    /// - Returns: nil when users have to be loaded first.
    private mutating func renewal(
        _ watcher: Watcher, _ visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [PeerStatus]? {
        var statuses: [PeerStatus] = []
        var unknown: [UserID] = []
        for (user, feed) in watcher.feeds {
            if feed.deadline != nil, feed.hasShownSomething {
                guard let seen = visible(user, watcher.viewer) else {
                    unknown.append(user)
                    continue
                }
                guard feed.hasShown(seen) else { continue }
            }
            statuses += feed.renewal(of: user)
        }
        awaitingLoad.formUnion(unknown)
        return unknown.isEmpty ? statuses : nil
    }

    /// After how many milliseconds the session's statuses are renewed: between a third and a half of the time for which
    /// they are valid.
    private static func renewal(_ session: UInt64) -> Int64 {
        PeerStatuses.validMilliseconds / 3 + Int64(session % 101) * (PeerStatuses.validMilliseconds / 6) / 101
    }
}

extension [PeerStatus] {
    /// Sorted by user, then by app: the order of a table would tell what else is in it (rule Z1).
    fileprivate var inOrder: Self {
        sorted { ($0.user, $0.app?.rawValue ?? "") < ($1.user, $1.app?.rawValue ?? "") }
    }
}
