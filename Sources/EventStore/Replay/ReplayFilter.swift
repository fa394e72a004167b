import FocusCore

/// Which events a replay gives.
public struct ReplayFilter: Hashable, Sendable {
    /// Empty: all types.
    public var types: Set<EventType>
    /// Nil: all users.
    public var user: UserID?

    public init(types: Set<EventType> = [], user: UserID? = nil) {
        self.types = types
        self.user = user
    }

    func includes(_ event: LoggedEvent) -> Bool {
        types.isEmpty || EventType(rawValue: event.type).map(types.contains) ?? false
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
}
