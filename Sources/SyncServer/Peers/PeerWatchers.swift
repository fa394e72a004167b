import FocusCore

/// Who watches the users of a lane's partitions, what each watcher was told, and what is to be told next. Bounded by
/// the sessions and by what each may watch (`SessionLimits.watchedUsers`).
struct PeerWatchers {
    /// A session and all that it watches.
    private struct Watching {
        let watcher: PeerWatcher
        var users: [UserID: PeerWatch] = [:]
    }

    private static let never = MonotonicTime(milliseconds: .max / 2)
    /// How many watches are looked at in a turn of the lane; what is left waits for the next one (rule Q1).
    static let looksPerTurn = 1_024

    private var sessions: [UInt64: Watching] = [:]
    private var watchesOfUser: [UserID: [UInt64: PeerWatch]] = [:]
    /// What may have something to tell, now or when V4 allows it, but for users in `awaitingLoad`. Some may have ended.
    private var due: [PeerWatch] = []
    /// How many in `due` have ended.
    private var endedDue = 0
    /// How many watches wait to be looked at, with those that have ended.
    var dueCount: Int { due.count }
    /// When `due` is to be looked through next: nothing in it has anything to tell before.
    private(set) var nextLook = never
    /// When renewals are to be looked for next: no session needs one before.
    private(set) var nextRenewal = never
    /// Watched users who could not be looked at, because they are not in memory. Whoever watches them is due once they
    /// are.
    private(set) var awaitingLoad: Set<UserID> = []
    /// Watches of users who are not in memory, and for whom nobody has asked yet whether the viewer may be in the
    /// user's audience.
    private var unasked: [PeerWatch] = []
    /// Whether nothing might be told at the last call of `statusesToSend`.
    private var isHeldBack = false

    var isEmpty: Bool { sessions.isEmpty }

    func isWatched(_ user: UserID) -> Bool { watchesOfUser[user] != nil }

    var watchedUsers: [UserID] { Array(watchesOfUser.keys) }

    // MARK: Watching

    /// Makes the session watch these users; it is told their current statuses first, also of users that it watches
    /// already.
    mutating func watch(_ handle: SessionHandle, _ viewer: Viewer, _ users: [UserID], now: MonotonicTime) {
        var session =
            sessions[handle.id]
            ?? Watching(
                watcher: PeerWatcher(handle, viewer, renewsAt: now.adding(milliseconds: Self.renewal(handle.id))))
        for user in users {
            let watch = session.users[user] ?? PeerWatch(session.watcher, user)
            session.users[user] = watch
            watchesOfUser[user, default: [:]][handle.id] = watch
            watch.feed.asked()
            markDue(watch)
        }
        sessions[handle.id] = session
        nextLook = min(nextLook, now)
        nextRenewal = min(nextRenewal, session.watcher.renewsAt)
    }

    mutating func unwatch(_ session: UInt64, _ users: [UserID]) {
        for user in users {
            if let watch = sessions[session]?.users.removeValue(forKey: user) { end(watch) }
        }
        if sessions[session]?.users.isEmpty == true { sessions[session] = nil }
    }

    mutating func close(_ session: UInt64) {
        for watch in (sessions.removeValue(forKey: session)?.users ?? [:]).values { end(watch) }
    }

    private mutating func end(_ watch: PeerWatch) {
        watch.hasEnded = true
        if watch.isDue { endedDue += 1 }
        if endedDue > due.count / 2 { removeEnded() }
        watchesOfUser[watch.user]?[watch.watcher.handle.id] = nil
        if watchesOfUser[watch.user]?.isEmpty == true { watchesOfUser[watch.user] = nil }
    }

    /// While nothing may be told, sessions could end watches and begin others without end.
    private mutating func removeEnded() {
        due.removeAll(where: \.hasEnded)
        endedDue = 0
    }

    // MARK: Changes

    /// Makes all look at the user again: something happened to them that others may see.
    mutating func changed(_ user: UserID) {
        for watch in (watchesOfUser[user] ?? [:]).values {
            watch.feed.changed()
            watch.isExcluded = false
            enqueue(watch)
        }
    }

    private mutating func enqueue(_ watch: PeerWatch) {
        guard let deadline = watch.feed.deadline else { return }
        nextLook = min(nextLook, deadline)
        markDue(watch)
    }

    private mutating func markDue(_ watch: PeerWatch) {
        guard !watch.isDue else { return }
        watch.isDue = true
        due.append(watch)
    }

    /// Sends again to a session whose queue was full: its device has read what was queued.
    mutating func resume(_ session: UInt64, now: MonotonicTime) {
        guard let watcher = sessions[session]?.watcher, watcher.isBehind else { return }
        watcher.isBehind = false
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
        // Sessions that ended have left these times behind. The first look for the next session sets them anew.
        guard !isEmpty else { return Self.never }
        return isHeldBack ? now.adding(milliseconds: retryMilliseconds) : min(nextLook, nextRenewal)
    }

    /// Makes all look at users again who were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    mutating func endWaits(_ isAwaiting: (UserID) -> Bool) {
        for user in awaitingLoad where !isAwaiting(user) {
            awaitingLoad.remove(user)
            for watch in (watchesOfUser[user] ?? [:]).values { enqueue(watch) }
        }
    }

    /// Removes and returns the users who are not in memory, and the viewers of whom it is to be asked whether they are
    /// in the audience; sorted.
    mutating func takeUnsure() -> [(user: UserID, viewer: Viewer)] {
        defer { unasked = [] }
        return unasked.filter { !$0.hasEnded }
            .sorted { ($0.watcher.handle.id, $0.user) < ($1.watcher.handle.id, $1.user) }
            .map { ($0.user, $0.watcher.viewer) }
    }

    /// Takes up whether the viewer may be in the audience of a user who is not in memory: if so, the user is to be
    /// loaded.
    mutating func learned(_ user: UserID, _ viewer: Viewer, isPossible: Bool, now: MonotonicTime) {
        for watch in (watchesOfUser[user] ?? [:]).values where watch.isUnsure && watch.watcher.viewer == viewer {
            watch.isUnsure = false
            if isPossible {
                awaitingLoad.insert(user)
            } else {
                watch.isExcluded = true
                nextLook = min(nextLook, now)
                markDue(watch)
            }
        }
    }

    /// Takes those watches out of `due` that may have something to tell now to a session that has room, as many as a
    /// turn looks at.
    private mutating func takeReady(_ now: MonotonicTime) -> [PeerWatch] {
        guard now >= nextLook else { return [] }
        nextLook = Self.never
        var (ready, rest): ([PeerWatch], [PeerWatch]) = ([], [])
        for watch in due where !watch.hasEnded {
            guard let deadline = watch.feed.deadline else {
                watch.isDue = false
                continue
            }
            if ready.count < Self.looksPerTurn, watch.watcher.hasRoom(), deadline <= now {
                watch.isDue = false
                ready.append(watch)
            } else {
                if !watch.watcher.isBehind { nextLook = min(nextLook, max(now, deadline)) }
                rest.append(watch)
            }
        }
        (due, endedDue) = (rest, 0)
        return ready
    }

    /// The statuses that changed, for sessions that have room.
    private mutating func news(
        _ now: MonotonicTime, _ visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [(SessionHandle, [PeerStatus])] {
        var told = ToldStatuses()
        var last: MadeUpdate?
        var look: (user: UserID, viewer: Viewer, seen: [AppID: Bool]?)?
        for watch in takeReady(now) {
            // The sessions of one viewer see the same.
            let (user, viewer) = (watch.user, watch.watcher.viewer)
            if look?.user != user || look?.viewer != viewer { look = (user, viewer, visible(user, viewer)) }
            guard let seen = look?.seen ?? (watch.isExcluded ? [:] : nil) else {
                if !watch.isUnsure { unasked.append(watch) }
                watch.isUnsure = true
                continue
            }
            watch.isExcluded = false
            told.add(MadeUpdate.update(watch, seen, now: now, last: &last), to: watch.watcher.handle)
        }
        return told.inOrder
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
        for (session, watching) in sessions where watching.watcher.renewsAt <= now {
            let watcher = watching.watcher
            guard watcher.hasRoom() else { continue }
            guard let statuses = renewal(watching, visible) else { continue }
            watcher.renewsAt = now.adding(milliseconds: Self.renewal(session))
            if !statuses.isEmpty { told.append((watcher.handle, statuses.inOrder)) }
        }
        return told
    }

    /// What the session was told and is still so. Something may have happened to a user that it may not see, and then
    /// nothing may show it, not even that this user is left out (rule Z1); what it may see is told as a change.
    /// - Returns: nil when users have to be loaded first.
    private mutating func renewal(
        _ watching: Watching, _ visible: (UserID, Viewer) -> [AppID: Bool]?
    ) -> [PeerStatus]? {
        var statuses: [PeerStatus] = []
        var unknown: [UserID] = []
        for (user, watch) in watching.users {
            let feed = watch.feed
            if feed.deadline != nil, feed.hasShownSomething {
                guard let seen = visible(user, watching.watcher.viewer) else {
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
