import FocusCore

/// What the device knows about the users it watches (rules V1, V3): their statuses, with the times at which these end,
/// over connections that come and go. A status holds until the server tells another one or its time ends; then it is
/// unavailable.
struct PeerBook {
    private struct Key: Hashable {
        var user: UserID
        var app: AppID?
    }

    private struct Status {
        var isFocused: Bool
        var ends: MonotonicTime
    }

    /// A status before a message of the server.
    private struct Before {
        var isKnown: Bool
        var isFocused: Bool?
    }

    /// The statuses that are available; every other status is unavailable.
    private var available: [Key: Status] = [:]
    /// The apps in which the server has told a user's status; nil stands for a status without an app. Those of them
    /// that are not in `available` are unavailable.
    private var known: [UserID: Set<AppID?>] = [:]

    /// When the next status ends; nil: none is available.
    var deadline: MonotonicTime? { available.values.map(\.ends).min() }

    /// The current statuses of these users; there is none for a user about whom the server has told nothing.
    func current(_ users: Set<UserID>) -> [PeerStatus] {
        users.sorted().flatMap { user in
            Self.sorted(known[user] ?? []).map { status(Key(user: user, app: $0)) }
        }
    }

    /// Applies what the server tells, and returns the statuses that differ when all of it is applied.
    mutating func receive(_ statuses: PeerStatuses, now: MonotonicTime) -> [PeerStatus] {
        let left = statuses.validUntil.microseconds.subtractingReportingOverflow(statuses.serverTime.microseconds)
        let valid = left.overflow ? 0 : max(0, min(left.partialValue / 1_000, 10 * PeerStatuses.validMilliseconds))
        var before: [Key: Before] = [:]
        for status in statuses.statuses {
            // A status without an app is about every app that is known. An answer to Watch begins with one, and then
            // names the statuses that are available.
            if status.app == nil { endAll(of: status.user, noting: &before) }
            let key = Key(user: status.user, app: status.app)
            keepFirst(key, in: &before)
            available[key] = status.isFocused.map {
                Status(isFocused: $0, ends: now.adding(milliseconds: valid))
            }
            // The status without an app is kept only while there is no app to name.
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

    /// Makes the statuses unavailable whose time has ended, because the server did not tell them again (rule V3), and
    /// returns them.
    mutating func expire(now: MonotonicTime) -> [PeerStatus] {
        let over = available.filter { $0.value.ends <= now }.keys
        for key in over { available[key] = nil }
        return over.map { PeerStatus(user: $0.user, app: $0.app, isFocused: nil) }.sorted(by: Self.precede)
    }

    /// Forgets users whom nobody watches any more.
    mutating func forget(_ users: some Sequence<UserID>) {
        for user in users {
            for app in known.removeValue(forKey: user) ?? [] { available[Key(user: user, app: app)] = nil }
        }
    }

    private mutating func endAll(of user: UserID, noting before: inout [Key: Before]) {
        for app in known[user] ?? [] {
            let key = Key(user: user, app: app)
            keepFirst(key, in: &before)
            available[key] = nil
        }
    }

    /// Keeps a status as it was before its first change.
    private func keepFirst(_ key: Key, in before: inout [Key: Before]) {
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
