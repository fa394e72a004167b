import FocusCore

/// The user, device and scope that a device's store belongs to. A store never mixes rows of two owners.
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
