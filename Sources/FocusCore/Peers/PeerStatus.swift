/// Whether somebody's Focus is on, as a viewer may know it in an app (rules F5, V1).
public struct PeerStatus: Hashable, Sendable {
    /// The user whose status it is.
    public var user: UserID
    /// The app that it is for; nil for every app. Only an unavailable status is for every app, and only to `system`
    /// viewers.
    public var app: AppID?
    /// Nil when the status is unavailable. It does not say why: not shared, no such app, no such user.
    public var isFocused: Bool?

    public init(user: UserID, app: AppID?, isFocused: Bool?) {
        self.user = user
        self.app = app
        self.isFocused = isFocused
    }
}

/// Statuses on their way to a viewer.
public struct PeerStatuses: Hashable, Sendable {
    /// The server tells again, well before they end, what is still so (rule V3).
    public static let validMilliseconds: Int64 = 60_000

    public var statuses: [PeerStatus]
    /// When the statuses end, by the server's clock: what was not told again by then is unavailable (rule V3).
    public var validUntil: Timestamp
    /// The server's clock when it sent this: devices' clocks may be wrong.
    public var serverTime: Timestamp

    public init(statuses: [PeerStatus], validUntil: Timestamp, serverTime: Timestamp) {
        self.statuses = statuses
        self.validUntil = validUntil
        self.serverTime = serverTime
    }

    /// The statuses as they are sent at `now`.
    public init(_ statuses: [PeerStatus], now: Timestamp) {
        let end = now.adding(microseconds: Self.validMilliseconds * 1_000)
        self.init(statuses: statuses, validUntil: end, serverTime: now)
    }
}

/// The user and scope that decide what may be seen of others.
public struct Viewer: Hashable, Sendable {
    public var user: UserID
    public var scope: Scope

    public init(user: UserID, scope: Scope) {
        self.user = user
        self.scope = scope
    }
}
