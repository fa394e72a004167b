/// `device.activity` (rules N18, L6), appended by the server: a session reported that its device is in use.
public struct DeviceActivity: Hashable, Sendable {
    public var device: DeviceID
    /// The scope of the session. Sessions of two scopes on a device report apart.
    public var scope: Scope
    /// As whose settings count for the device (rule N15).
    public var deviceClass: DeviceClass
    /// The app in front; nil: none that may alert the user.
    public var app: AppID?

    public init(device: DeviceID, scope: Scope, deviceClass: DeviceClass, app: AppID?) {
        self.device = device
        self.scope = scope
        self.deviceClass = deviceClass
        self.app = app
    }
}

/// `device.activityEnded` (rules N18, T5), appended by the server: what a session reported does not count any more.
public struct DeviceActivityEnded: Hashable, Sendable {
    public var device: DeviceID
    public var scope: Scope
    /// `recordedAt` of the `device.activity` that ends; a later one goes on.
    public var reportedAt: Timestamp

    public init(device: DeviceID, scope: Scope, reportedAt: Timestamp) {
        self.device = device
        self.scope = scope
        self.reportedAt = reportedAt
    }
}

/// `alert.ringsElsewhere` (rules N18, T4), appended by the server: alerts that are still unread ring where they have
/// not.
public struct AlertRingsElsewhere: Hashable, Sendable {
    /// When it was due; also the event's `occurredAt`. It is about every alert that was due by then.
    public var dueAt: Timestamp
    public init(dueAt: Timestamp) { self.dueAt = dueAt }
}
