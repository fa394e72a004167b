import FocusCore

/// What a `ClientSession` wants done. Its driver performs these in order and decides nothing.
public enum ClientAction: Hashable, Sendable {
    case send(ClientMessage)
    /// Send one Append frame of queued events after `after`, of at most so many bytes; answer with `appendSent`.
    case sendAppend(after: DeviceSequence, maximumBytes: Int)
    /// Events are durable in the log: take them out of the queue and tell whoever waits (rule P1).
    case acknowledge(Appended)
    /// The log lost its tail after this event: keep in mind that it is to get it back (rule S6).
    case beginHealing(logged: DeviceSequence)
    /// Send one frame of what the log is to get back, of at most so many bytes unless a receipt is of more; answer with
    /// `healingSent`.
    case sendHealing(HealingPosition, maximumBytes: Int)
    /// Events are in the log again, or refused: keep that with them.
    case keepHealed(Appended, HealRequest)
    /// The log has everything that this device could give it.
    case endHealing(HealingReport)
    /// The sequence cannot be continued: keep in mind that the log is to be asked about the queue (rule P10).
    case beginRecalling(IncarnationReason)
    /// Send one Recall of what is asked for next; answer with `recallSent`.
    case sendRecall(RecallPosition)
    /// Events that the log holds are acknowledged at their places: take them out of the queue and tell whoever waits.
    case keepRecalled(Recalled, Recall)
    /// Everything was answered: queue what is left in a new incarnation, derived from the first of it. With `offersHeld`
    /// the log is offered there what is held (rule S6).
    case endRecalling(RecallReport, offersHeld: Bool)
    /// The sequence cannot be continued: begin a new incarnation, queue unacknowledged events again from 1 (rule E1).
    case beginIncarnation(IncarnationReason)
    /// Forget rows that were staged, and stage what follows.
    case beginStaging
    case stage([DeltaRow])
    /// Replace the rows of these collections (none: all rows) with the staged ones, and store the cursor (rules S1, S5,
    /// S9).
    case finishSnapshot(Cursor, replacing: [RowCollection] = [])
    /// Apply the staged rows and store the cursor, together (rule S3).
    case finishDelta(Cursor)
    case apply([DeltaRow], Cursor)
    /// Compare the digests of the device's rows with these; answer with `compared` (rule S9).
    case compare(Cursor, [CollectionDigest])
    /// Give these to whoever asked; the connection has room for another fetch.
    case fetched(Fetched)
    case fetchFailed(request: UInt64, ProtocolError)
    /// What the server tells of users whom the device watches (rule V1).
    case peers(PeerStatuses)
    /// Get a new token and answer with `renew` (rule A2).
    case getToken
    case report(ClientNotice)
    /// The connection is over: close it.
    case end(ClientEnd)
}

/// Why a new incarnation begins.
public enum IncarnationReason: Hashable, Sendable {
    /// The log has another event at this sequence: the store was restored from a backup, or copied (rule P3).
    case conflict(at: DeviceSequence)
    /// The log has events of this incarnation that the store does not know.
    case storeBehind(logged: DeviceSequence, known: DeviceSequence)
    /// The log takes no further event of it: a copy of the store, or this one before it was restored, has left it (P10).
    case ended
    /// The log lost acknowledged events and has others, or takes none any more, at their places (rule S6).
    case displaced
    /// The server has another log, which knows nothing of what was acknowledged.
    case otherLog(logged: DeviceSequence, acknowledged: DeviceSequence)

    /// Whether the server's log is the one that earlier incarnations appended to.
    public var isOfSameLog: Bool {
        switch self {
        case .conflict, .storeBehind, .ended, .displaced: true
        case .otherLog: false
        }
    }
}

/// What the device's user or operator may want to know.
public enum ClientNotice: Hashable, Sendable {
    case welcomed(Welcome)
    /// The server cannot take events at the moment; they stay queued and are sent again.
    case appendsDelayed(ProtocolError, milliseconds: Int64)
    /// Events without an answer wait for a server that knows Recall (rule P10); this one does not. Rows come meanwhile.
    case recallWaits
    /// An error that changes nothing.
    case serverError(ProtocolError)
    /// The rows differ from the server's; they are asked for afresh (rule S9).
    case diverged([RowCollection])
    /// They differ again and again; nothing more is asked for on this connection.
    case stillDiverged([RowCollection])
    /// The session's token ends then, by the device's clock as it is set against the server's (rule A2).
    case tokenExpires(inMilliseconds: Int64)
    /// The rows are those of the server at this cursor.
    case verified(Cursor)
}

/// How a connection ended.
public enum ClientEnd: Hashable, Sendable {
    /// Connect again, after a random time within the bounds that the server named, if it did (rule L5).
    case reconnect(milliseconds: ClosedRange<Int64>?, cause: ProtocolError?)
    /// Connecting again would end the same.
    case failed(ProtocolError)
}
