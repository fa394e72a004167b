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
    func moved(to generation: Int32) {
        self.generation = generation
        dirty = []
        projectedVersion = state.version
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

/// One of the lane's partitions, as far as this server knows it.
struct PartitionState {
    var head: PartitionHead
    /// Everything below is in the read model. Never past the head: another server may be further with both, and what it
    /// has projected of events that this one does not know is of no concern yet.
    var checkpoint: LogOffset
    /// Users with events at or past the checkpoint, and the offset of the last of them.
    var unprojected: [UserID: LogOffset] = [:]
    var isProjecting = false
    /// Changed rows are gathered until then, or until the lane's appends pause.
    var gathersUntil: MonotonicTime
    /// Nothing is written before: another server is at it, the database refused, or nobody could be loaded.
    var retriesAt = MonotonicTime(milliseconds: 0)
}

/// A session as its lane sees it.
final class LaneSession {
    let handle: SessionHandle
    let identity: Identity
    let incarnation: Incarnation
    /// The version that both sides speak.
    let protocolVersion: UInt32
    /// Frames that wait until it is known what stands at the places of the first of them, oldest first: answers keep
    /// their order (rule P6). Empty: nothing is looked up.
    var looksUp: [PendingAppend] = []
    var subscription: Subscription
    /// A gap was reported; until the expected sequence comes, appends are dropped without another report (rule P4).
    var reportedGap = false
    /// A frame could not be taken: until its events come again, those behind them are not taken either (rule P4). Their
    /// answer would acknowledge the others too.
    var awaited: AwaitedPlace?
    let openedAt: MonotonicTime
    /// The last sequence of its device incarnation that this session appended, or found when it opened (rule P8).
    var lastSequence: DeviceSequence
    /// In the queue of those that get a checkpoint.
    var awaitsCheckpoint = false
    /// It was due while the user was not in memory: it goes out as soon as he is.
    var checkpointIsOverdue = false

    init(
        handle: SessionHandle, identity: Identity, incarnation: Incarnation, protocolVersion: UInt32,
        subscription: Subscription, openedAt: MonotonicTime, lastSequence: DeviceSequence
    ) {
        self.handle = handle
        self.identity = identity
        self.incarnation = incarnation
        self.protocolVersion = protocolVersion
        self.subscription = subscription
        self.openedAt = openedAt
        self.lastSequence = lastSequence
    }
}

/// Where a device has to send again from.
struct AwaitedPlace {
    var incarnation: Incarnation
    var sequence: DeviceSequence

    /// Nil: the error says that sending again would end the same.
    init?(_ append: IncomingAppend, of session: LaneSession, _ error: ProtocolError) {
        switch error.code {
        case .unavailable, .overloaded, .userQuarantined, .tooMany, .eventUnknown, .internal: break
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched, .shuttingDown,
            .unknownMessage, .sequenceGap, .sequenceConflict:
            return nil
        }
        incarnation = append.healing?.incarnation ?? session.incarnation
        sequence = error.sequence ?? append.firstSequence
    }

    func isMet(by request: AppendContext) -> Bool {
        request.incarnation == incarnation && request.append.request.firstSequence <= sequence
    }
}

/// Names a device's local store: of two connections of one, the newer wins.
struct StoreKey: Hashable {
    var user: UserID
    var device: DeviceID
    var scope: Scope
    var incarnation: Incarnation
}
