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

public struct Welcome: Hashable, Sendable {
    public var protocolVersion: UInt32
    public var session: String
    public var log: LogID
    /// The last sequence logged of this device incarnation.
    public var lastSequence: DeviceSequence
    /// The event at `lastSequence`; nil when the log cannot name it, which does not mean another event.
    public var lastEvent: EventID?
    /// The incarnation takes no further event (rule P10).
    public var isEnded: Bool
    /// The log does not hold the event that the cursor names: it lost its tail (rule S6).
    public var logIsBehind: Bool
    public var maximumFrameBytes: UInt32
    public var maximumUnacknowledgedAppends: UInt32
    public var heartbeatMilliseconds: UInt32
    public var serverTime: Timestamp
    /// Fetches that may be under way at a time; 0 when the server knows no fetches.
    public var maximumFetches: UInt32

    public init(
        protocolVersion: UInt32, session: String, log: LogID, lastSequence: DeviceSequence, lastEvent: EventID? = nil,
        isEnded: Bool = false, logIsBehind: Bool = false, maximumFrameBytes: UInt32,
        maximumUnacknowledgedAppends: UInt32, heartbeatMilliseconds: UInt32,
        serverTime: Timestamp, maximumFetches: UInt32 = 0
    ) {
        self.protocolVersion = protocolVersion
        self.session = session
        self.log = log
        self.lastSequence = lastSequence
        self.lastEvent = lastEvent
        self.isEnded = isEnded
        self.logIsBehind = logIsBehind
        self.maximumFrameBytes = maximumFrameBytes
        self.maximumUnacknowledgedAppends = maximumUnacknowledgedAppends
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.serverTime = serverTime
        self.maximumFetches = maximumFetches
    }
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

public struct ProtocolError: Hashable, Sendable, Error {
    public var code: ErrorCode
    public var message: String
    public var retryAfterMilliseconds: UInt32
    /// For `sequence_gap`: the sequence that the server expects next.
    public var expected: DeviceSequence?
    /// For errors about one append: its first sequence.
    public var sequence: DeviceSequence?
    /// For errors about a fetch: its id.
    public var request: UInt64?

    public init(
        _ code: ErrorCode, _ message: String, retryAfterMilliseconds: UInt32 = 0, expected: DeviceSequence? = nil,
        sequence: DeviceSequence? = nil, request: UInt64? = nil
    ) {
        self.code = code
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.expected = expected
        self.sequence = sequence
        self.request = request
    }

    /// One answer to every Hello that is not let in (rule A1), a revoked device's too (rule A3): it does not say why.
    public static let tokenNotAccepted = ProtocolError(
        .unauthenticated, "The token was not accepted. Get a new one and connect again.")
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

/// Stable codes of everything that can go wrong on a connection. The raw value is what devices see.
public enum ErrorCode: String, Hashable, Sendable, CaseIterable {
    case unknownMessage = "unknown_message"
    case malformedFrame = "malformed_frame"
    case frameTooLarge = "frame_too_large"
    case protocolUnsupported = "protocol_unsupported"
    case helloRequired = "hello_required"
    case helloTimeout = "hello_timeout"
    case unauthenticated
    case tokenExpired = "token_expired"
    case sequenceConflict = "sequence_conflict"
    case sequenceGap = "sequence_gap"
    /// The device began more incarnations than it may in a day (rule P10).
    case tooMany = "too_many"
    case eventUnknown = "event_unknown"
    case userQuarantined = "user_quarantined"
    case overloaded
    case unavailable
    case slowConsumer = "slow_consumer"
    case heartbeatTimeout = "heartbeat_timeout"
    case superseded
    case notFound = "not_found"
    case tooManyWatched = "too_many_watched"
    case shuttingDown = "shutting_down"
    case `internal`

    /// Whether the same request may succeed later without a change by the client.
    public var isRetryable: Bool {
        switch self {
        case .eventUnknown, .userQuarantined, .overloaded, .unavailable, .slowConsumer, .heartbeatTimeout,
            .helloTimeout,
            .shuttingDown, .internal, .sequenceGap, .tokenExpired, .tooMany:
            true
        case .unknownMessage, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .unauthenticated,
            .sequenceConflict, .superseded, .notFound, .tooManyWatched:
            false
        }
    }
}
