import FocusCore

/// Something that the device's user or operator may want to know.
public enum ClientNotice: Hashable, Sendable {
    /// The server accepted the connection.
    case welcomed(Welcome)
    /// The server cannot take events at the moment; they stay queued and are sent again.
    case appendsDelayed(ProtocolError, milliseconds: Int64)
    /// Unanswered events wait for a server that knows Recall (rule P10); this one does not. Rows come meanwhile.
    case recallWaits
    /// An error that changes nothing.
    case serverError(ProtocolError)
    /// The rows differ from the server's; they are asked for afresh (rule S9).
    case diverged([RowCollection])
    /// The rows differ from the server's again and again; this connection does not ask for them afresh any more (rule
    /// S9).
    case stillDiverged([RowCollection])
    /// The session's token ends after so many milliseconds, by the server's clock (rule A2).
    case tokenExpires(inMilliseconds: Int64)
    /// The rows are those of the server at this cursor.
    case verified(Cursor)
}
