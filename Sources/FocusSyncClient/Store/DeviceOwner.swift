import FocusCore

/// Whom a device's store belongs to. Rows of one user, device and scope are never mixed with another's.
public struct DeviceOwner: Hashable, Sendable, CustomStringConvertible {
    public var user: UserID
    public var device: DeviceID
    public var scope: Scope

    public init(user: UserID, device: DeviceID, scope: Scope) {
        self.user = user
        self.device = device
        self.scope = scope
    }

    public var description: String {
        "user \(user), device \(device), \(scope.app.map { "app \($0)" } ?? "system")"
    }
}
