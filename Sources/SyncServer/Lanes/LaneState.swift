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

    /// The batch is committed.
    mutating func move(behind batch: PartitionAppend) {
        guard let last = batch.events.last else { return }
        head.move(behind: last)
        for event in batch.events { unprojected[event.user] = event.offset }
    }
}

/// A session as its lane sees it.
final class LaneSession {
    /// A frame of this incarnation began behind the place that the log expects next.
    struct Gap: Hashable {
        var incarnation: Incarnation
        var expected: DeviceSequence?
    }

    let handle: SessionHandle
    let identity: Identity
    let incarnation: Incarnation
    /// The version that both sides speak.
    let protocolVersion: UInt32
    /// Frames that wait until it is known what stands at the places of the first of them, oldest first: answers keep
    /// their order (rule P6). Empty: nothing is looked up.
    var looksUp: [PendingAppend] = []
    var subscription: Subscription
    /// The gap that was reported last. Frames that meet the same one are dropped without another report (rule P4).
    var reportedGap: Gap?
    var awaited = AwaitedPlaces()
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

/// Where a device has to send again from, by incarnation: a frame could not be taken, and until its events come again
/// those behind them are not taken either (rule P4). Their answer would acknowledge the others too.
struct AwaitedPlaces {
    /// Far more than frames may be under way in: who sends on regardless is answered frame by frame.
    private static let limit = 64
    private var sequences: [Incarnation: DeviceSequence] = [:]

    /// What could not be taken may be sent again, or not.
    mutating func note(_ error: ProtocolError, about append: IncomingAppend, in incarnation: Incarnation) {
        switch error.code {
        case .unavailable, .overloaded, .userQuarantined, .tooMany, .eventUnknown, .internal: break
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched, .shuttingDown,
            .unknownMessage, .sequenceGap, .sequenceConflict:
            return
        }
        guard sequences[incarnation] == nil, sequences.count < Self.limit else { return }
        sequences[incarnation] = error.sequence ?? append.firstSequence
    }

    /// The place that must come before the frame; nil: none.
    mutating func missing(before append: IncomingAppend, in incarnation: Incarnation) -> DeviceSequence? {
        guard let sequence = sequences[incarnation] else { return nil }
        guard append.firstSequence <= sequence else { return sequence }
        if append.lastSequence >= sequence { sequences[incarnation] = nil }
        return nil
    }
}

extension IncomingAppend {
    fileprivate var lastSequence: DeviceSequence {
        switch healing {
        case .lost(let lost): lost.last
        case .recall(let recall): firstSequence.advanced(by: max(0, recall.events.count - 1))
        case .reoffer, nil: firstSequence.advanced(by: max(0, events.count - 1))
        }
    }
}

/// Names a device's local store: of two connections of one, the newer wins.
struct StoreKey: Hashable {
    var user: UserID
    var device: DeviceID
    var scope: Scope
    var incarnation: Incarnation
}
