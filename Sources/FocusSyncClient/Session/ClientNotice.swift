import FocusCore

/// Something that the device's user or operator may want to know.
public enum ClientNotice: Hashable, Sendable {
    /// The server accepted the connection.
    case welcomed(Welcome)
    /// The server cannot take events at the moment; they stay queued and are sent again.
    case appendsDelayed(ProtocolError, milliseconds: Int64)
    /// This server does not know Recall, so unanswered events stay queued until another one does (rule P10). Rows come
    /// all the same.
    case recallWaits
    /// The server reported an error that the session need not act on.
    case serverError(ProtocolError)
    /// The rows differ from the server's; they are asked for afresh (rule S9).
    case diverged([RowCollection])
    /// The rows differ from the server's again and again; this connection does not ask for them afresh any more (rule
    /// S9).
    case stillDiverged([RowCollection])
    /// The session's token ends after so many milliseconds, by the server's clock (rule A2).
    case tokenExpires(inMilliseconds: Int64)
    /// The device has the very rows that the server has at this cursor: the counts and digests of the server's
    /// checkpoint are those of the store (rule S9).
    case verified(Cursor)
}
