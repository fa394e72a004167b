import FocusCore

/// A user's state as of one moment, current however far the read model lags.
public struct LoadedUser: Sendable {
    /// Everything up to the end of the log at that moment is folded in.
    public var state: UserState
    /// What the read model showed: the rest came from the log.
    public var projectedVersion: Version
    /// Rows that the events past `projectedVersion` changed: what the read model lacks.
    public var touchedKeys: Set<RowKey>
    /// Where the user's partition ended at that moment.
    public var head: PartitionHead

    public init(state: UserState, projectedVersion: Version, touchedKeys: Set<RowKey>, head: PartitionHead) {
        self.state = state
        self.projectedVersion = projectedVersion
        self.touchedKeys = touchedKeys
        self.head = head
    }
    /// Folds the next event in. Throws `EventStoreError.gap` when it is not the next, and what is wrong with it.
    mutating func apply(_ event: LoggedEvent) throws {
        guard event.version == state.version.next else {
            throw EventStoreError.gap(user: state.user, expected: state.version.next, found: event.version)
        }
        touchedKeys.formUnion(try state.apply(event.decoded()))
    }
}
