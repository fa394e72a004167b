import FocusCore

/// How a connection ended.
public enum ClientEnd: Hashable, Sendable {
    /// Connect again, after a random time within the bounds that the server named, if it did (rule L5).
    case reconnect(milliseconds: ClosedRange<Int64>?, cause: ProtocolError?)
    /// The token is not accepted, or not any more: connect again with another one, within the bounds that the server
    /// named, if it did.
    case tokenRefused(ProtocolError, milliseconds: ClosedRange<Int64>?)
    /// Connecting again would end the same.
    case failed(ProtocolError)
}
