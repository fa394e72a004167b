import FocusCore

/// A session as its lane sees it.
final class LaneSession {
    /// The next place of an incarnation, which is not what came.
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
    /// The gap that was reported; until what is expected comes, appends are dropped without another report (rule P4).
    var reportedGap: Gap?
    var awaited = AwaitedPlaces()
    let openedAt: MonotonicTime
    /// The last sequence of its device incarnation that this session appended, or found when it opened (rule P8).
    var lastSequence: DeviceSequence

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
