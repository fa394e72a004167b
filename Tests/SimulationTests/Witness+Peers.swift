import FocusCore

@testable import SyncServer

/// What a connection was told of other users. The link keeps it, because a new connection begins anew.
struct PeerTold {
    struct Key: Hashable {
        var user: UserID
        var app: AppID?
    }

    var statuses: [Key: Bool?] = [:]
    /// Milliseconds.
    var changedAt: [UserID: Int64] = [:]
    /// How many answers to Watch are due for each user.
    var asked: [UserID: Int] = [:]
}

extension Witness {
    /// Microseconds: a server that has not confirmed the heads for this long sends nothing.
    private static let freshness: Int64 = 1_001_000

    /// A server writes this frame to a connection now.
    func wrote(
        _ message: ServerMessage, to device: SimulatedDevice, _ told: inout PeerTold, _ life: SimulatedServer.Process
    ) {
        if message.isNews, let revocation = revocations[device.id] {
            if life.revocations[device.id] != nil {
                fail("A3: \(device) is told \("\(message)".prefix(40)) by a server that has seen its revocation")
            }
            if clock.now - revocation.time > Self.freshness {
                fail("A3: \(device) is told something \((clock.now - revocation.time) / 1_000) ms after its revocation")
            }
        }
        guard case .peerStatuses(let statuses) = message else { return }
        for (user, some) in Dictionary(grouping: statuses.statuses, by: \.user).sorted(by: { $0.key < $1.key }) {
            wrote(some, of: user, to: device, &told, life)
        }
    }

    private func wrote(
        _ statuses: [PeerStatus], of user: UserID, to device: SimulatedDevice, _ told: inout PeerTold,
        _ life: SimulatedServer.Process
    ) {
        let viewer = Viewer(user: device.user, scope: device.scope)
        let isSo = believable(of: user, life).contains { state in
            let visible = state.visibility(to: viewer)
            return statuses.allSatisfy { status in
                // A status without an app ends all earlier ones, so everything visible must follow in the same message.
                guard let app = status.app else {
                    return status.isFocused == nil && Set(visible.keys).isSubset(of: statuses.compactMap(\.app))
                }
                return visible[app] == status.isFocused
            }
        }
        if !isSo {
            fail("V2: \(device) is told \(statuses), of no state that the server may hold for the last of \(user)")
        }
        var isChange = false
        for status in statuses {
            let key = PeerTold.Key(user: user, app: status.app)
            if let app = device.scope.app, status.app != app {
                fail("V1: \(device) of \(app) is told of \(status.app?.rawValue ?? "no app")")
            }
            if status.isFocused == nil, let app = status.app, app != device.scope.app, told.statuses[key] == nil {
                fail("V1: \(device) learns from an unavailable status that \(user) has \(app)")
            }
            if told.statuses[key] != .some(status.isFocused) { isChange = true }
            told.statuses[key] = .some(status.isFocused)
        }
        let now = clock.monotonic.milliseconds
        let isSoon = told.changedAt[user].map { now - $0 < PeerFeed.changeMilliseconds - slowness } ?? false
        // A change may come before the answer to a Watch that arrived meanwhile. In a system session the answer is
        // recognisable by its status without an app.
        let isAnswer = device.scope.app == nil ? statuses.contains { $0.app == nil } : isSoon
        if told.asked[user, default: 0] > 0, isAnswer {
            told.asked[user, default: 0] -= 1
        } else if isChange, isSoon, let before = told.changedAt[user] {
            fail("V4: \(device) is told two changes of \(user) within \(now - before) ms")
        }
        if isChange { told.changedAt[user] = now }
    }

    /// The states of a user of which the server may hold any for the latest.
    ///
    /// A server that looks at a log that lost its tail notices it. Until then its lanes go by the lost history, even
    /// for devices that connected after the fall: another lane may have let them in, and looked. So for `freshness`
    /// after the fall rule V2 holds in the order of the lost history. After that, and for users of whom the server has
    /// seen anything since, it holds in the present order. A removal that was lost with the tail counts no more.
    private func believable(of user: UserID, _ life: SimulatedServer.Process) -> ArraySlice<UserState> {
        let present = Past(states: states, times: times, revoked: [], end: .max)
        var found = states(of: user, present, since: life.seen(user, pasts.count))
        for (history, past) in pasts.enumerated().reversed() {
            let hasLooked = life.bornIn > history || life.seen(user, history + 1) != nil
            guard !hasLooked, clock.now - past.end <= Self.freshness else { break }
            found += states(of: user, past, since: life.seen(user, history))
        }
        return found
    }

    /// The states from the last one that the server has certainly seen: because it read it, or because it had to look
    /// by then.
    private func states(of user: UserID, _ past: Past, since seen: Version?) -> ArraySlice<UserState> {
        let looked = past.times[user]?.lastIndex { $0 <= clock.now - Self.freshness } ?? 0
        let states = past.states[user] ?? [UserState(user: user)]
        return states.dropFirst(max(looked, Int(seen?.rawValue ?? 0)))
    }

    func isRevoked(_ device: SimulatedDevice) -> Bool { revocations[device.id] != nil }

    /// Whether the device was revoked in one of these histories of the log, which may have lost that since.
    func wasRevoked(_ device: SimulatedDevice, in histories: ClosedRange<Int>) -> Bool {
        isRevoked(device)
            || histories.contains { pasts.indices.contains($0) && pasts[$0].revoked.contains(device.id) }
    }
}

extension ServerMessage {
    /// Whether the message tells a device something beyond the outcome of its own events.
    var isNews: Bool {
        switch self {
        case .snapshotBegin, .snapshotRows, .snapshotEnd, .deltaBegin, .deltaRows, .deltaEnd, .delta, .checkpoint,
            .fetched, .peerStatuses:
            true
        case .welcome, .appended, .recalled, .ping, .pong, .error, .goAway, .tokenExpiry, .unknown: false
        }
    }
}
