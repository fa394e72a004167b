import FocusCore

/// What a `ClientSession` wants done. Its driver performs these in order and decides nothing.
public enum ClientAction: Hashable, Sendable {
    /// Send this message.
    case send(ClientMessage)
    /// Send one Append frame of queued events after `after`, of at most so many bytes; answer with `appendSent`.
    case sendAppend(after: DeviceSequence, maximumBytes: Int)
    /// Events are durable in the log: move them out of the queue and tell those who wait for them (rule P1).
    case acknowledge(Appended)
    /// The log has lost what came after this sequence: store that it is being healed (rule S6).
    case beginHealing(logged: DeviceSequence)
    /// Send the next frame of events that the log is to get back; answer with `healingSent`. The frame has at most so
    /// many bytes, unless the events of a single receipt have more: these stay together.
    case sendHealing(HealingPosition, maximumBytes: Int)
    /// The server has answered events that were offered: they are in the log again, or refused. Store the answers.
    case keepHealed(Appended, HealRequest)
    /// The healing is done: the log has everything that this device could give back.
    case endHealing(HealingReport)
    /// The incarnation cannot be continued: store that the log must be asked about the queue (rule P10).
    case beginRecalling(IncarnationReason)
    /// Find the next events to ask about, and answer with `recallSent`, which sends the Recall.
    case sendRecall(RecallPosition)
    /// Events that the log holds are acknowledged at their places: move them out of the queue and tell those who wait
    /// for them.
    case keepRecalled(Recalled, Recall)
    /// Recalling is done: queue the events that the log does not hold in a new incarnation, whose number is derived
    /// from the first of them. With `offersHeld`, the next connection offers the acknowledged events that the store
    /// still holds (rule S6).
    case endRecalling(RecallReport, offersHeld: Bool)
    /// The incarnation cannot be continued: begin a new one, and queue unacknowledged events again from 1 (rule E1).
    case beginIncarnation(IncarnationReason)
    /// Delete the staged rows: a snapshot or delta begins.
    case beginStaging
    /// Stage these rows until the snapshot or delta ends.
    case stage([DeltaRow])
    /// Replace the rows of these collections (none: all rows) with the staged ones, and store the cursor (rules S1, S5,
    /// S9).
    case finishSnapshot(Cursor, replacing: [RowCollection] = [])
    /// Apply the staged rows and store the cursor, together (rule S3).
    case finishDelta(Cursor)
    /// Apply these rows and store the cursor, together (rule S3).
    case apply([DeltaRow], Cursor)
    /// Compare the digests of the device's rows with these; answer with `compared` (rule S9).
    case compare(Cursor, [CollectionDigest])
    /// Give this answer to the caller that asked; the connection has room for another fetch.
    case fetched(Fetched)
    /// The server answered this fetch with an error; the connection has room for another one.
    case fetchFailed(request: UInt64, ProtocolError)
    /// The server tells the statuses of watched users (rule V1).
    case peers(PeerStatuses)
    /// Get a new token and answer with `renew` (rule A2).
    case getToken
    /// Tell the device's user or operator.
    case report(ClientNotice)
    /// The connection is over: close it.
    case end(ClientEnd)
}
