/// What went wrong, as a device is told: a code for programs, and a text for people.
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
