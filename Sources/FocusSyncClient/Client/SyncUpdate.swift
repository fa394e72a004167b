import FocusCore

import struct FocusCore.Cursor

/// Something that happened to a client.
public enum SyncUpdate: Hashable, Sendable {
    /// The server accepted a connection.
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
    /// The server answered with an error that changes nothing.
    case serverError(ProtocolError)
    /// The session's token ends after so many milliseconds unless it is renewed. The client renews it at once when the
    /// configuration has `newToken` (rule A2).
    case tokenExpires(inMilliseconds: Int64)
    /// The store was restored from a backup, or copied, or the log lost events and has others in their places. The
    /// client asks the log which unanswered events it holds, so that none is logged twice (rule P10).
    case recalling(IncarnationReason)
    /// The log must be asked which unanswered events it holds (rule P10), and the server is too old to be asked. These
    /// events wait, and rows come. Told once for each connection.
    case recallWaits
    /// The log has said which unanswered events it holds. The others are sent in a new incarnation (rule P10).
    case recalled(RecallReport)
    /// A new incarnation began without recalling, because no event was unanswered or the server has another log.
    case newIncarnation(IncarnationReason)
    /// The log lost events that it had acknowledged, and the client gives back those that the store holds (rule S6). In
    /// the current incarnation the log ends at `logged`, and had acknowledged everything up to `acknowledged`.
    case healing(logged: DeviceSequence, acknowledged: DeviceSequence)
    /// The log has every lost event that this device could give back (rule S6).
    case healed(HealingReport)
    /// The device was revoked (rule A3), and the client has erased its store.
    case erased
    /// The client has stopped, and connects no more until it is started again: by `start`, or by a call that needs the
    /// server. `networkDidChange` starts it too, if it had given up an unreachable server.
    case stopped(SyncClientError)
    /// The connection ended, or could not be made; the next attempt follows after so many milliseconds.
    case disconnected(String, retryAfterMilliseconds: Int64)
}
