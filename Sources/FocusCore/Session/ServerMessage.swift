/// What the server may say (protocol.md, Messages).
public enum ServerMessage: Hashable, Sendable {
    case welcome(Welcome)
    case appended(Appended)
    case recalled(Recalled)
    /// A snapshot of these collections; of the whole view when there are none (rule S9).
    case snapshotBegin(version: Version, collections: [RowCollection] = [])
    case snapshotRows([DeltaRow])
    case snapshotEnd(Cursor)
    case deltaBegin(from: Version, to: Version)
    case deltaRows([DeltaRow])
    case deltaEnd(Cursor)
    /// A whole delta in one message, when it fits.
    case delta(from: Version, rows: [DeltaRow], cursor: Cursor)
    case checkpoint(Cursor, [CollectionDigest])
    case ping(UInt64)
    case pong(UInt64)
    case error(ProtocolError)
    case goAway(GoAway)
    /// When the session's token ends, and the server's time now (rule A2).
    case tokenExpiry(Timestamp, serverTime: Timestamp)
    case fetched(Fetched)
    /// What the viewer may know of users whom it watches (rules V1 to V4).
    case peerStatuses(PeerStatuses)
    /// A message of a kind that this program does not know; only a client meets it.
    case unknown
}

/// Everything up to `throughSequence` is durable (rule P1).
public struct Appended: Hashable, Sendable {
    public var throughSequence: DeviceSequence
    /// The user's version after it: what this device gets next includes it (rule P7).
    public var version: Version
    public var refused: [RefusedEvent]
    /// The receipts for what was logged now; none for what was logged before (rule S6).
    public var receipts: [Receipt]
    /// The incarnation of the request that this answers, when it is not the session's; nil otherwise (rule S6).
    public var incarnation: Incarnation?
    public init(
        throughSequence: DeviceSequence, version: Version, refused: [RefusedEvent], receipts: [Receipt] = [],
        incarnation: Incarnation? = nil
    ) {
        self.throughSequence = throughSequence
        self.version = version
        self.refused = refused
        self.receipts = receipts
        self.incarnation = incarnation
    }
}

public struct RefusedEvent: Hashable, Sendable {
    public var sequence: DeviceSequence
    public var event: EventID
    public var code: String
    public var message: String
    public init(sequence: DeviceSequence, event: EventID, code: String, message: String) {
        self.sequence = sequence
        self.event = event
        self.code = code
        self.message = message
    }
}

public struct DeltaRow: Hashable, Sendable {
    public var key: RowKey
    public var version: Version
    /// The row's value; nil when the row is gone.
    public var value: [UInt8]?
    public init(key: RowKey, version: Version, value: [UInt8]?) {
        self.key = key
        self.version = version
        self.value = value
    }
}

public struct CollectionDigest: Hashable, Sendable {
    public var collection: RowCollection
    public var count: UInt64
    public var digest: Digest
    public init(collection: RowCollection, count: UInt64, digest: Digest) {
        self.collection = collection
        self.count = count
        self.digest = digest
    }
}

public struct GoAway: Hashable, Sendable {
    public var code: ErrorCode
    /// The client reconnects after a random time within these (full jitter, rule L5).
    public var minimumBackoffMilliseconds: UInt32
    public var maximumBackoffMilliseconds: UInt32
    public init(code: ErrorCode, minimumBackoffMilliseconds: UInt32, maximumBackoffMilliseconds: UInt32) {
        self.code = code
        self.minimumBackoffMilliseconds = minimumBackoffMilliseconds
        self.maximumBackoffMilliseconds = maximumBackoffMilliseconds
    }
}
