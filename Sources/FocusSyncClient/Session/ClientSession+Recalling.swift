import FocusCore

/// Rule P10: a store whose sequences are not its own any more asks the log what it holds of its unanswered events, and
/// goes on with the others in a new incarnation, on a new connection.
///
/// Flow: `beginRecalling` (durable before anything is sent) → for each question `sendRecall`, `recallSent`, Recalled,
/// `keepRecalled` → `endRecalling`. While it lasts nothing is appended.
extension ClientSession {
    /// The incarnation cannot be continued. Without unanswered events the next one begins at once, and the server hears of
    /// it when there is something to append.
    mutating func leave(_ reason: IncarnationReason) -> [ClientAction] {
        sender.queue.isEmpty ? beginIncarnation(reason) : [.beginRecalling(reason)] + reconnectNow()
    }

    /// The same, of a connection on which nothing was appended: the questions can go out on it.
    mutating func leaveHere(_ reason: IncarnationReason, offersHeld: Bool) -> [ClientAction] {
        sender.queue.isEmpty
            ? beginIncarnation(reason) : [.beginRecalling(reason)] + startRecalling(offersHeld: offersHeld)
    }

    /// A server of protocol 1 knows no Recall: rows come, and the events wait for a newer one.
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

    /// The answer to `sendRecall`: this went out, and what follows is at `next`. Nil: there is nothing more.
    public mutating func recallSent(_ recall: Recall?, next: RecallPosition) -> [ClientAction] {
        guard state == .live, recalling?.isAsking == true else { return [] }
        recalling?.isAsking = false
        guard let recall else { return endRecalling() }
        recalling?.sent(recall, next: next)
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

    /// Nil: it is none about a question.
    mutating func receiveRecallError(_ error: ProtocolError) -> [ClientAction]? {
        switch error.code {
        case .sequenceConflict:
            // The incarnation is another scope's: the log holds nothing of this one there.
            guard let asked = recalling?.inFlight?.recall else { return [] }
            recalling?.report.moved += asked.events.count
            recalling?.answered(asked.events.count)
            return recalling?.next() ?? []
        case .tooMany, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
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
        // Of a frame from before.
        case .sequenceGap: return []
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched, .shuttingDown:
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
