import FocusCore

/// How a connection ended.
public enum ClientEnd: Hashable, Sendable {
    /// Connect again, after a random time within the bounds that the server named, if it did (rule L5).
    case reconnect(milliseconds: ClosedRange<Int64>?, cause: ProtocolError?)
    /// Connecting again would end the same.
    case failed(ProtocolError)
}
