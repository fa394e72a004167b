import FocusCore

/// Who watches whom, of the users whose partitions a lane owns. Bounded by the sessions and what each may watch.
struct PeerWatchers {
    /// A reference, as a thousand of them are looked at for one change: the lane alone has it.
    final class Watcher {
        let handle: SessionHandle
        let viewer: Viewer
        var feeds: [UserID: PeerFeed] = [:]
        /// When what it was told is told again (rule V3).
        var renewsAt: MonotonicTime
        /// It does not take what it is sent (rule L1): it is told what is so by the time that it does.
        var isBehind = false

        init(_ handle: SessionHandle, _ viewer: Viewer, renewsAt: MonotonicTime) {
            self.handle = handle
            self.viewer = viewer
            self.renewsAt = renewsAt
        }

        func hasRoom() -> Bool {
            guard !isBehind else { return false }
            isBehind = !handle.quota.hasRoom()
            return !isBehind
        }
    }

    struct Due: Hashable {
        var session: UInt64
        var user: UserID
    }

    private static let never = MonotonicTime(milliseconds: .max / 2)

    private(set) var sessions: [UInt64: Watcher] = [:]
    private var watchersOfUser: [UserID: Set<UInt64>] = [:]
    /// Feeds that may have something to tell, now or after a while (rule V4).
    private(set) var due: Set<Due> = []
    /// No feed of `due` has anything to tell before.
    private(set) var nextLook = never
    /// No session's statuses are to be renewed before.
    private(set) var nextRenewal = never
    /// Watched users who could not be looked at, as they are not in memory.
    private(set) var awaitingLoad: Set<UserID> = []
    /// Nothing could be told, the last time that there might have been something.
    private var isHeldBack = false

    var isEmpty: Bool { sessions.isEmpty }

    func isWatched(_ user: UserID) -> Bool { watchersOfUser[user] != nil }

    var watchedUsers: [UserID] { Array(watchersOfUser.keys) }

    // MARK: Watching

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
        due.remove(Due(session: session, user: user))
        watchersOfUser[user]?.remove(session)
        if watchersOfUser[user]?.isEmpty == true { watchersOfUser[user] = nil }
    }

    // MARK: Changes

    /// Something happened to the user that may show.
    mutating func changed(_ user: UserID) {
        for session in watchersOfUser[user] ?? [] {
            sessions[session]?.feeds[user]?.changed()
            note(Due(session: session, user: user))
        }
    }

    private mutating func note(_ entry: Due) {
        guard let deadline = sessions[entry.session]?.feeds[entry.user]?.deadline else { return }
        due.insert(entry)
        nextLook = min(nextLook, deadline)
    }

    /// The device has taken what was queued.
    mutating func resume(_ session: UInt64, now: MonotonicTime) {
        guard sessions[session]?.isBehind == true else { return }
        sessions[session]?.isBehind = false
        nextLook = min(nextLook, now)
        nextRenewal = min(nextRenewal, now)
    }

    // MARK: Telling

    /// What is new, and what is about to end.
    /// - Parameters:
    ///   - mayTell: false while any lane has not confirmed its heads: a viewer may have been revoked there.
    ///   - visible: what the viewer may see of a user; nil when the user's state is not in memory: they stay due.
    mutating func tell(
        now: MonotonicTime, mayTell: Bool, visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [(SessionHandle, [PeerStatus])] {
        isHeldBack = !mayTell
        guard mayTell else { return [] }
        let news = news(now, visible)
        if !awaitingLoad.isEmpty { nextLook = min(nextLook, now) }
        return news + renewals(now)
    }

    /// When there is something to tell, or to see whether it may be told yet.
    func nextDeadline(now: MonotonicTime, retryMilliseconds: Int64) -> MonotonicTime {
        isHeldBack ? now.adding(milliseconds: retryMilliseconds) : min(nextLook, nextRenewal)
    }

    /// Whoever could not be looked at; they are looked at again with the next `tell`.
    mutating func dequeueAwaitingLoad() -> Set<UserID> {
        defer { awaitingLoad = [] }
        return awaitingLoad
    }

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
            guard let seen = visible(entry.user, watcher.viewer) else {
                awaitingLoad.insert(entry.user)
                continue
            }
            told[entry.session, default: []] += feed.take(seen, of: entry.user, to: watcher.viewer, now: now)
            watcher.feeds[entry.user] = feed
            due.remove(entry)
        }
        return told.compactMap { session, statuses in
            sessions[session].flatMap { statuses.isEmpty ? nil : ($0.handle, statuses) }
        }
    }

    /// What still holds and ends before long (rule V3). Sessions' times are spread, so that those which came together are
    /// not renewed together; and all are looked at a few times a second, not with every turn.
    private mutating func renewals(_ now: MonotonicTime) -> [(SessionHandle, [PeerStatus])] {
        guard now >= nextRenewal else { return [] }
        nextRenewal = sessions.isEmpty ? Self.never : now.adding(milliseconds: 250)
        var told: [(SessionHandle, [PeerStatus])] = []
        for (session, watcher) in sessions where watcher.renewsAt <= now {
            guard watcher.hasRoom() else { continue }
            watcher.renewsAt = now.adding(milliseconds: Self.renewal(session))
            // What is about to be told anew is not told as it was.
            let settled = watcher.feeds.filter { $0.value.deadline == nil }
            let statuses = settled.flatMap { $0.value.renewal(of: $0.key) }
            if !statuses.isEmpty { told.append((watcher.handle, statuses)) }
        }
        return told
    }

    /// Between a third and half of what statuses are valid for.
    private static func renewal(_ session: UInt64) -> Int64 {
        PeerStatuses.validMilliseconds / 3 + Int64(session % 101) * (PeerStatuses.validMilliseconds / 6) / 101
    }
}
