/// Who a session acts as: what its token says, and nothing else (rule A1).
public struct Identity: Hashable, Sendable {
    public var user: UserID
    public var device: DeviceID
    public var scope: Scope
    /// When the token ends, by the server's clock.
    public var expiresAt: Timestamp
    /// The device's class when the token fixes it; nil when the class in Hello counts.
    public var deviceClass: DeviceClass?

    public init(user: UserID, device: DeviceID, scope: Scope, expiresAt: Timestamp, deviceClass: DeviceClass? = nil) {
        self.user = user
        self.device = device
        self.scope = scope
        self.expiresAt = expiresAt
        self.deviceClass = deviceClass
    }

    /// As whom it asks for what others share.
    public var viewer: Viewer { Viewer(user: user, scope: scope) }

    /// Whether a token of `other` may renew a session of this: only the expiry may differ (rule A2).
    func mayBecome(_ other: Identity) -> Bool {
        var other = other
        other.expiresAt = expiresAt
        return other == self
    }
}
