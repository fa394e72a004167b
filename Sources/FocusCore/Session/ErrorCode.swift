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
    /// The device was revoked (rule A3), for good: it is to erase what it holds of its user.
    case revoked
    case sequenceConflict = "sequence_conflict"
    case sequenceGap = "sequence_gap"
    /// The device began more incarnations than it may in a day (rule P10), or too many connections come from its
    /// address (rule Q2).
    case tooMany = "too_many"
    /// The user, or whoever else is meant, has what it may have (rule Q4).
    case quotaExceeded = "quota_exceeded"
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
            .shuttingDown, .internal, .sequenceGap, .tokenExpired, .tooMany, .quotaExceeded:
            true
        case .unknownMessage, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .unauthenticated,
            .revoked,
            .sequenceConflict, .superseded, .notFound, .tooManyWatched:
            false
        }
    }
}
