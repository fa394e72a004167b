import FocusCore

/// A session as its lane sees it, from its admission to its end.
final class LaneSession {
    /// A gap in what the session sent (rule P4): the incarnation, and the sequence that is expected of it.
    struct Gap: Hashable {
        var incarnation: Incarnation
        var expected: DeviceSequence?
    }

    let handle: SessionHandle
    let identity: Identity
    let incarnation: Incarnation
    /// The version of the protocol that both sides speak.
    let protocolVersion: UInt32
    /// Append frames that wait while the log is asked what it holds at the places of the first of them, oldest first.
    /// Later frames wait behind it, so that answers keep their order (rule P6). Empty while nothing is looked up.
    var looksUp: [PendingAppend] = []
    var subscription: Subscription
    /// Whether the device has never had all that there is since it came.
    var isCatchingUp = true
    /// The digests of what the session has, if it was admitted by an outline of its user, and nothing was told of the
    /// user since.
    var knownDigests: [CollectionDigest]?
    /// The gap that the device was told of last. Until the expected event comes, appends are dropped without another
    /// report (rule P4).
    var reportedGap: Gap?
    var awaited = AwaitedPlaces()
    let openedAt: MonotonicTime
    /// The last sequence of the session's incarnation that is known to be no news from another connection: the session
    /// found it when it opened, or appended it, or its device's earlier connection had it under way (rule P8).
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
