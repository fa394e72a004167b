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

    /// The answer to a Hello whose token is good and whose device was revoked (rule A3). It is told only when the log
    /// is known to keep the revocation (rule P1), because the device erases what it holds.
    public static let deviceRevoked = ProtocolError(
        .revoked, "The device was revoked. Erase what it holds of the user; no token lets it in again.")

    /// The answer to a Hello of a revoked device while it is not known whether the log keeps the revocation.
    public static let revocationUnconfirmed = ProtocolError(
        .unavailable, "The log cannot be written at the moment. Connect again.", retryAfterMilliseconds: 1_000)

    /// The answer to a Hello when the log cannot be asked for the event that its cursor names (rule S6).
    public static let cursorUnconfirmed = ProtocolError(
        .unavailable, "The log cannot be read at the moment. Connect again.", retryAfterMilliseconds: 1_000)

    /// One answer to every Hello whose token is not accepted (rule A1): it does not say why.
    public static let tokenNotAccepted = ProtocolError(
        .unauthenticated, "The token was not accepted. Get a new one and connect again.")
}
