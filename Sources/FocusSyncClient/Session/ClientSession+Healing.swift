import FocusCore

/// Heals a log that lost its tail (rule S6). The device offers every event that the log had acknowledged and that the
/// store still holds, oldest first, and declares lost what it does not hold any more. Then it goes on with the queue in
/// the same incarnation. If that cannot be continued, or another event has taken the place of an acknowledged one, the
/// store recalls instead (rule P10).
extension ClientSession {
    /// - Parameter leaves: why the incarnation cannot be continued after the healing; nil: it can.
    mutating func beginHealing(_ welcome: Welcome, leaves: IncarnationReason?) -> [ClientAction] {
        // The log may have forgotten that these incarnations ended. A server of protocol 1 cannot end one.
        var healing = HealingSender(welcome, ending: protocolVersion >= 2 ? ended : [], leaves: leaves)
        let actions = healing.next()
        self.healing = healing
        return [.report(.welcomed(welcome)), .beginHealing(logged: welcome.lastSequence)] + actions
    }

    /// The log has ended the incarnation again, or says that it belongs to another scope (nil: the error names none).
    mutating func receiveEnded(_ incarnation: Incarnation?) -> [ClientAction] {
        guard incarnation == nil || incarnation == healing?.ending.first?.incarnation else { return [] }
        healing?.ended()
        return continueHealing()
    }

    /// The answer to `sendHealing`: this request was sent, and what follows it begins at `next`. Nil: there is nothing
    /// more.
    public mutating func healingSent(_ request: HealRequest?, next: HealingPosition) -> [ClientAction] {
        guard state == .live, let asked = healing?.asked else { return [] }
        healing?.asked = nil
        // Otherwise the request was asked for before an error rewound the healing; it is not in flight.
        guard asked == healing?.position else { return continueHealing() }
        healing?.sent(request, next: next)
        awaitAnswer(after: false)
        return continueHealing()
    }

    mutating func resumeHealing(now: MonotonicTime) -> [ClientAction] {
        guard let time = healing?.resumesAt, time <= now else { return [] }
        healing?.resumesAt = nil
        return continueHealing()
    }

    /// The server answered a frame: all of it, or the part before an event about which an error follows.
    mutating func receiveHealed(_ appended: Appended) -> [ClientAction] {
        let incarnation = appended.incarnation ?? hello.incarnation
        guard let head = healing?.inFlight.first, head.request.incarnation == incarnation,
            appended.throughSequence >= head.request.firstSequence
        else { return [] }
        let displaced = appended.refused.count(where: \.isDisplaced)
        if appended.throughSequence >= head.request.lastSequence {
            healing?.taken()
            healing?.report.events += head.request.eventCount - displaced
            if case .lost(let lost) = head.request { healing?.report.lost.append(lost) }
        }
        if case .reoffer(let offer) = head.request {
            let accepted = Set(offer.events.filter { $0.outcome == .accepted }.map(\.envelope.id))
            healing?.report.displaced += displaced
            healing?.report.refused += appended.refused.filter { accepted.contains($0.event) && !$0.isDisplaced }
        }
        return [.keepHealed(appended, head.request)] + continueHealing()
    }

    /// Handles an error while healing. Returns nil when it is handled as if nothing were being healed.
    mutating func receiveHealingError(_ error: ProtocolError) -> [ClientAction]? {
        switch error.code {
        case .sequenceGap: return receiveHealingGap(error)
        case .sequenceConflict where healing?.isEnding == true: return receiveEnded(nil)
        case .sequenceConflict:
            guard healing?.inFlight.isEmpty == false else { return [] }
            // The server answers the frames behind this one all the same.
            healing?.stopped(at: error.sequence)
            return continueHealing()
        case .tooMany, .quotaExceeded, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            let wait = Self.pause(error)
            healing?.rewind()
            let time = currentTime.adding(milliseconds: wait)
            let resumesAt = max(healing?.resumesAt ?? time, time)
            healing?.resumesAt = resumesAt
            return [.report(.appendsDelayed(error, milliseconds: wait))]
        case .unknownMessage:
            // The server is older than healing: the device goes on as if the server had another log.
            healing = nil
            return beginIncarnation(
                .otherLog(logged: sender.queue.acknowledged, acknowledged: sender.queue.acknowledged))
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .revoked, .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched,
            .shuttingDown:
            return nil
        }
    }

    /// The log lacks events before those that were offered: they come next, or are lost if this device holds none of
    /// them.
    private mutating func receiveHealingGap(_ error: ProtocolError) -> [ClientAction] {
        // The error is about a frame that will be offered again in any case.
        guard let head = healing?.inFlight.first, let expected = error.expected else { return [] }
        // While a rest is in flight this may be about a frame before it, which is offered again too.
        if healing?.rests.isEmpty == false, let sequence = error.sequence, sequence != head.request.firstSequence {
            return []
        }
        healing?.missed(expected)
        return continueHealing()
    }

    private mutating func continueHealing() -> [ClientAction] {
        guard let healing else { return [] }
        guard healing.isComplete, healing.inFlight.isEmpty, healing.missing == nil, healing.rests.isEmpty else {
            return self.healing?.next() ?? []
        }
        self.healing = nil
        let end = ClientAction.endHealing(healing.report)
        if isRecalling { return [end] + startRecalling(offersHeld: false) }
        if healing.report.displaced > 0 {
            return [end, .beginRecalling(.displaced)] + startRecalling(offersHeld: false)
        }
        guard let reason = healing.leaves else { return [end] + appendNext() }
        return [end] + leaveHere(reason, offersHeld: false)
    }
}
