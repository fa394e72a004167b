import EventStore
import FocusCore

/// A user in use: state as committed, between turns of the lane.
final class CachedUser {
    let id: UserID
    let partition: Partition
    /// Of the read model that it was loaded from, or one that is the same: states of two are never mixed.
    var generation: Int32
    var state: UserState
    /// Rows that the read model does not have yet, since it was at `projectedVersion`.
    var dirty: Set<RowKey>
    var projectedVersion: Version
    var lastUsed: Int64
    /// While several sessions are being sent to.
    var deltas: DeltaFrames?

    /// Calls what does not change the state. A plain call on the property would copy the state first, which touches a
    /// reference count for each of its tables.
    func reading<Result>(_ body: (inout UserState) -> Result) -> Result { body(&state) }

    /// The tables of another generation have the same rows, all of them.
    func adopt(_ generation: Int32) {
        self.generation = generation
        dirty = []
        projectedVersion = state.version
    }

    /// What the read model lacks of the user. One copy of the state for all its rows.
    func projected(dueAt: Timestamp?) -> ProjectedUser {
        let folded = state
        let rows = dirty.map { ProjectedRow($0, folded.row($0), appearedAt: folded.appearance(of: $0)) }
        return ProjectedUser(user: id, version: folded.version, base: projectedVersion, rows: rows, dueAt: dueAt)
    }

    /// What it takes of the cache, roughly: a key in a set is some 100 bytes.
    var approximateBytes: Int { state.approximateBytes + dirty.count * 100 }

    init(
        id: UserID, partition: Partition, generation: Int32, state: UserState, dirty: Set<RowKey>,
        projectedVersion: Version, lastUsed: Int64
    ) {
        self.generation = generation
        self.id = id
        self.partition = partition
        self.state = state
        self.dirty = dirty
        self.projectedVersion = projectedVersion
        self.lastUsed = lastUsed
    }
}
