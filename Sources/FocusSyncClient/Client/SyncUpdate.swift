import FocusCore

import struct FocusCore.Cursor

/// What happens to a client, as it happens.
public enum SyncUpdate: Hashable, Sendable {
    case connected(Welcome)
    /// Rows changed and the cursor moved; both are stored. A snapshot names only what is different from before.
    case rows([RowChange], Cursor, isSnapshot: Bool)
    /// Events are durable in the log.
    case acknowledged([AppendOutcome])
    /// The rows are those of the server at this cursor (rule S9).
    case verified(Cursor)
    /// The rows of these collections differed from the server's and are asked for afresh (rule S9).
    case diverged([RowCollection])
    /// The server cannot take events at the moment; they stay queued.
    case appendsDelayed(ProtocolError, milliseconds: Int64)
    case serverError(ProtocolError)
    /// The session's token ends, unless it is renewed: at once when the configuration has `newToken` (rule A2).
    case tokenExpires(inMilliseconds: Int64)
    /// The store was restored from a backup, or copied, or the log lost events and has others in their places: the log is
    /// asked what it holds of the events without an answer, so that none is logged twice (rule P10).
    case recalling(IncarnationReason)
    /// The same, and the server is too old to be asked: those events wait, and rows come. Once for each connection.
    case recallWaits
    /// The log has answered. What it did not hold is sent in a new incarnation.
    case recalled(RecallReport)
    /// Nothing was without an answer, or the server has another log: a new incarnation began.
    case newIncarnation(IncarnationReason)
    /// The log lost events that it had acknowledged, and is given those that this device holds (rule S6). `logged` is the
    /// last that it has of the device's own.
    case healing(logged: DeviceSequence, acknowledged: DeviceSequence)
    /// That is done.
    case healed(HealingReport)
    /// The connection ended; the next begins after so many milliseconds.
    case disconnected(String, retryAfterMilliseconds: Int64)
}
