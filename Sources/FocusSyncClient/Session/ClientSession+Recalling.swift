import FocusCore

/// Recalls (rule P10): a store whose sequences are no longer its own asks the log which of its unanswered events it
/// holds, and goes on with the others in a new incarnation, on a new connection.
///
/// Flow: `beginRecalling` (durable before anything is sent) → for each question `sendRecall`, `recallSent`, Recalled,
/// `keepRecalled` → `endRecalling`. Nothing is appended until it has ended.
extension ClientSession {
    /// Leaves an incarnation that cannot be continued. Without unanswered events a new one begins at once, and the
    /// server hears of it when there is something to append.
    mutating func leave(_ reason: IncarnationReason) -> [ClientAction] {
        sender.queue.isEmpty ? beginIncarnation(reason) : [.beginRecalling(reason)] + reconnectNow()
    }

    /// Leaves an incarnation before anything was appended on this connection, so that the questions can be sent on it.
    mutating func leaveHere(_ reason: IncarnationReason, offersHeld: Bool) -> [ClientAction] {
        sender.queue.isEmpty
            ? beginIncarnation(reason) : [.beginRecalling(reason)] + startRecalling(offersHeld: offersHeld)
    }

    /// Begins to ask. A server of protocol 1 knows no Recall: rows come, and the events wait for a newer server.
    mutating func startRecalling(offersHeld: Bool) -> [ClientAction] {
        guard protocolVersion >= 2 else {
            waitsForRecall = currentTime.adding(milliseconds: Self.recallWaitMilliseconds)
            return [.report(.recallWaits)]
        }
        var recalling = RecallSender(offersHeld: offersHeld)
        let actions = recalling.next()
        self.recalling = recalling
        return actions
    }

    /// The answer to `sendRecall`: this is the next question, and what follows it begins at `next`. Nil: there is
    /// nothing more to ask.
    public mutating func recallSent(_ recall: Recall?, next: RecallPosition) -> [ClientAction] {
        guard state == .live, recalling?.isAsking == true else { return [] }
        recalling?.isAsking = false
        guard let recall else { return endRecalling() }
        recalling?.sent(recall, next: next)
        awaitAnswer(after: false)
        return [.send(.recall(recall))]
    }

    mutating func resumeRecalling(now: MonotonicTime) -> [ClientAction] {
        guard let time = recalling?.resumesAt, time <= now else { return [] }
        recalling?.resumesAt = nil
        return recalling?.next() ?? []
    }

    mutating func receive(_ recalled: Recalled) -> [ClientAction] {
        if healing?.isEnding == true { return receiveEnded(recalled.incarnation) }
        if let actions = receiveEndedAgain(recalled) { return actions }
        guard let asked = recalling?.inFlight?.recall, asked.incarnation == recalled.incarnation,
            asked.firstSequence == recalled.firstSequence
        else { return [] }
        let count = recalled.outcomes.count
        guard count > 0, count <= asked.events.count else {
            return end(.failed(ProtocolError(.malformedFrame, "Recalled names events that were not asked for.")))
        }
        let held = recalled.outcomes.count { $0 != nil }
        recalling?.report.held += held
        recalling?.report.moved += count - held
        recalling?.answered(count)
        return [.keepRecalled(recalled, asked)] + (recalling?.next() ?? [])
    }

    /// Handles an error while recalling. Returns nil when it is handled as if nothing were being recalled.
    mutating func receiveRecallError(_ error: ProtocolError) -> [ClientAction]? {
        switch error.code {
        case .sequenceConflict:
            // The incarnation belongs to another scope: the log holds nothing of this store there.
            guard let asked = recalling?.inFlight?.recall else { return [] }
            recalling?.report.moved += asked.events.count
            recalling?.answered(asked.events.count)
            return recalling?.next() ?? []
        case .tooMany, .quotaExceeded, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            let wait = Self.pause(error)
            recalling?.rewind()
            let time = currentTime.adding(milliseconds: wait)
            let resumesAt = max(recalling?.resumesAt ?? time, time)
            recalling?.resumesAt = resumesAt
            return [.report(.appendsDelayed(error, milliseconds: wait))]
        case .unknownMessage:
            recalling = nil
            waitsForRecall = currentTime.adding(milliseconds: Self.recallWaitMilliseconds)
            return [.report(.recallWaits)]
        // The gap is about a frame that was sent before recalling began.
        case .sequenceGap: return []
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .revoked, .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched,
            .shuttingDown:
            return nil
        }
    }

    private mutating func endRecalling() -> [ClientAction] {
        guard let recalling else { return [] }
        self.recalling = nil
        return [.endRecalling(recalling.report, offersHeld: recalling.offersHeld)] + reconnectNow()
    }

    mutating func reconnectNow() -> [ClientAction] { end(.reconnect(milliseconds: 0...0, cause: nil)) }
}
