import FocusCore

/// What the device knows of users whom it watches (rules V1, V3): statuses with their ends, over connections that come
/// and go. A status holds until it is told otherwise or its time ends; then it is unavailable.
struct PeerBook {
    private struct Key: Hashable {
        var user: UserID
        var app: AppID?
    }

    private struct Status {
        var isFocused: Bool
        var ends: MonotonicTime
    }

    /// What is available; everything else is not.
    private var available: [Key: Status] = [:]
    /// Users of whom the server has told something: from then on they are at least unavailable.
    private var known: [UserID: Set<AppID?>] = [:]

    /// When `expire` has something to do.
    var deadline: MonotonicTime? { available.values.map(\.ends).min() }

    /// What is known of these users now; of one that nothing was told of, nothing.
    func current(_ users: Set<UserID>) -> [PeerStatus] {
        users.sorted().flatMap { user in
            Self.sorted(known[user] ?? []).map { status(Key(user: user, app: $0)) }
        }
    }

    /// Takes what the server says; gives what is different from before.
    mutating func receive(_ statuses: PeerStatuses, now: MonotonicTime) -> [PeerStatus] {
        let left = statuses.validUntil.microseconds.subtractingReportingOverflow(statuses.serverTime.microseconds)
        let valid = left.overflow ? 0 : max(0, min(left.partialValue / 1_000, 10 * PeerStatuses.validMilliseconds))
        var changes: [PeerStatus] = []
        for status in statuses.statuses {
            // Of no app: of every one that was heard of.
            if status.app == nil { changes += endAll(of: status.user) }
            let key = Key(user: status.user, app: status.app)
            let before = available[key]?.isFocused
            available[key] = status.isFocused.map {
                Status(isFocused: $0, ends: now.adding(milliseconds: valid))
            }
            let isNew = known[status.user, default: []].insert(status.app).inserted
            // “No app's” was said before there was one.
            if status.app != nil { known[status.user]?.remove(nil) }
            if isNew || before != status.isFocused { changes.append(status) }
        }
        return changes
    }

    /// Rule V3: the server was silent for too long.
    mutating func expire(now: MonotonicTime) -> [PeerStatus] {
        let over = available.filter { $0.value.ends <= now }.keys
        for key in over { available[key] = nil }
        return over.map { PeerStatus(user: $0.user, app: $0.app, isFocused: nil) }.sorted(by: Self.precede)
    }

    /// Nobody wants to know of them any more.
    mutating func forget(_ users: some Sequence<UserID>) {
        for user in users {
            for app in known.removeValue(forKey: user) ?? [] { available[Key(user: user, app: app)] = nil }
        }
    }

    private mutating func endAll(of user: UserID) -> [PeerStatus] {
        Self.sorted(known[user] ?? []).compactMap { app in
            guard app != nil, available.removeValue(forKey: Key(user: user, app: app)) != nil else { return nil }
            return PeerStatus(user: user, app: app, isFocused: nil)
        }
    }

    private func status(_ key: Key) -> PeerStatus {
        PeerStatus(user: key.user, app: key.app, isFocused: available[key]?.isFocused)
    }

    private static func sorted(_ apps: Set<AppID?>) -> [AppID?] {
        apps.sorted { ($0?.rawValue ?? "") < ($1?.rawValue ?? "") }
    }

    private static func precede(_ a: PeerStatus, _ b: PeerStatus) -> Bool {
        (a.user, a.app?.rawValue ?? "") < (b.user, b.app?.rawValue ?? "")
    }
}
