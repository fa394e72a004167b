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

    /// How a status was before something came.
    private struct Before {
        var isKnown: Bool
        var isFocused: Bool?
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

    /// Takes what the server says; gives what is different from before, when all of it is taken.
    mutating func receive(_ statuses: PeerStatuses, now: MonotonicTime) -> [PeerStatus] {
        let left = statuses.validUntil.microseconds.subtractingReportingOverflow(statuses.serverTime.microseconds)
        let valid = left.overflow ? 0 : max(0, min(left.partialValue / 1_000, 10 * PeerStatuses.validMilliseconds))
        var before: [Key: Before] = [:]
        for status in statuses.statuses {
            // Of no app: of every one that was heard of. An answer to Watch begins so, and then names what is available.
            if status.app == nil { endAll(of: status.user, noting: &before) }
            let key = Key(user: status.user, app: status.app)
            note(key, in: &before)
            available[key] = status.isFocused.map {
                Status(isFocused: $0, ends: now.adding(milliseconds: valid))
            }
            // “No app's” is said only while there is none to name.
            if status.app != nil { known[status.user]?.remove(nil) }
            if status.app != nil || known[status.user, default: []].isEmpty {
                known[status.user, default: []].insert(status.app)
            }
        }
        let changed = before.filter { key, before in
            isKnown(key) && (!before.isKnown || before.isFocused != available[key]?.isFocused)
        }
        return changed.keys.map(status).sorted(by: Self.precede)
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

    private mutating func endAll(of user: UserID, noting before: inout [Key: Before]) {
        for app in known[user] ?? [] {
            let key = Key(user: user, app: app)
            note(key, in: &before)
            available[key] = nil
        }
    }

    /// Before it changes, if it has not yet.
    private func note(_ key: Key, in before: inout [Key: Before]) {
        guard before[key] == nil else { return }
        before[key] = Before(isKnown: isKnown(key), isFocused: available[key]?.isFocused)
    }

    private func isKnown(_ key: Key) -> Bool { known[key.user]?.contains(key.app) == true }

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
