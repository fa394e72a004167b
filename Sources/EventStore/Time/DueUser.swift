import FocusCore

/// A user of whom the read model says that something may be due.
public struct DueUser: Hashable, Sendable {
    public var partition: Partition
    public var user: UserID
    public var dueAt: Timestamp

    public init(partition: Partition, user: UserID, dueAt: Timestamp) {
        self.partition = partition
        self.user = user
        self.dueAt = dueAt
    }
}

/// The place in a partition's users, ordered by when something is due for them, after which a look goes on.
public struct DuePlace: Hashable, Sendable {
    public var dueAt: Timestamp
    public var user: UserID

    public init(dueAt: Timestamp, user: UserID) {
        self.dueAt = dueAt
        self.user = user
    }

    public init(_ found: DueUser) { self.init(dueAt: found.dueAt, user: found.user) }

    /// The place before every user.
    public static let start = DuePlace(dueAt: .earliestStored, user: UserID(DeviceID.server.uuid))
}
