import FocusCore

/// A user's state as of one moment, current however far the read model lags.
public struct LoadedUser: Sendable {
    /// Everything up to the end of the log at that moment is folded in.
    public var state: UserState
    /// The user's version in the read model; later events came from the log.
    public var projectedVersion: Version
    /// Rows that the events past `projectedVersion` changed: what the read model lacks.
    public var touchedKeys: Set<RowKey>
    /// Where the user's partition ended at that moment.
    public var head: PartitionHead
    /// Whether the read model has the digest sums of `projectedVersion` (`StoredDigests`).
    public var hasDigests: Bool

    public init(
        state: UserState, projectedVersion: Version, touchedKeys: Set<RowKey>, head: PartitionHead,
        hasDigests: Bool = false
    ) {
        self.state = state
        self.hasDigests = hasDigests
        self.projectedVersion = projectedVersion
        self.touchedKeys = touchedKeys
        self.head = head
    }

    /// Folds the next event in. Throws `EventStoreError.gap` when the event is not the next, and what
    /// `LoggedEvent.decoded` and the fold throw.
    /// - Returns: the rows that it touched.
    @discardableResult public mutating func apply(_ event: LoggedEvent) throws -> [RowKey] {
        guard event.version == state.version.next else {
            throw EventStoreError.gap(user: state.user, expected: state.version.next, found: event.version)
        }
        return try apply(event.decoded())
    }

    /// Folds the next event in. Throws what the fold throws.
    /// - Returns: the rows that it touched.
    @discardableResult public mutating func apply(_ event: Event) throws -> [RowKey] {
        let keys = try state.apply(event)
        touchedKeys.formUnion(keys)
        return keys
    }

    /// The rows that the read model lacks; nil when it lacks none.
    var projected: ProjectedUser? {
        guard state.version > projectedVersion else { return nil }
        return ProjectedUser(
            user: state.user, version: state.version, base: projectedVersion,
            rows: touchedKeys.map { ProjectedRow($0, state.row($0)) }, dueAt: state.dueAt,
            stateBytes: state.approximateBytes)
    }
}
