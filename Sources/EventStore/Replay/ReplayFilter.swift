import FocusCore

/// Which events a replay gives: those that match every one of the properties.
public struct ReplayFilter: Hashable, Sendable {
    /// Empty: all types.
    public var types: Set<EventType>
    /// Empty: all apps, and events without an app.
    public var apps: Set<AppID>
    /// Empty: all devices. The server's own events are of `DeviceID.server`.
    public var devices: Set<DeviceID>
    /// Nil: all users.
    public var user: UserID?

    public init(
        types: Set<EventType> = [], apps: Set<AppID> = [], devices: Set<DeviceID> = [], user: UserID? = nil
    ) {
        self.types = types
        self.apps = apps
        self.devices = devices
        self.user = user
    }

    /// Whether it picks single events of a user or of everybody.
    var picksEvents: Bool { !types.isEmpty || !apps.isEmpty || !devices.isEmpty }

    /// Whether an event passes by type, app and device; `user` is not looked at.
    func includes(_ event: LoggedEvent) -> Bool {
        (types.isEmpty || EventType(rawValue: event.type).map(types.contains) ?? false)
            && (apps.isEmpty || event.app.map(apps.contains) ?? false)
            && (devices.isEmpty || devices.contains(event.device))
    }
}

/// A stretch of a partition of the log.
public struct PartitionRange: Hashable, Sendable {
    public var partition: Partition
    public var offsets: Range<LogOffset>

    public init(partition: Partition, offsets: Range<LogOffset>) {
        self.partition = partition
        self.offsets = offsets
    }

    /// How many offsets it spans.
    public var count: Int { Int(offsets.upperBound.rawValue - offsets.lowerBound.rawValue) }
}
