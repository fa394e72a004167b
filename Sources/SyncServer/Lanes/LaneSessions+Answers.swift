import EventStore
import FocusCore
import FocusWire

extension LaneSessions {
    /// Tells the session what became of an append frame, and gives the frame's bytes back to the inbound budget. Ends a
    /// session that gets a conflict (rule P3).
    func deliver(_ answer: AppendStaging.Answer) {
        let released = answer.append.request.charge
        guard let session = open[answer.append.session] else { return context.budget.release(released) }
        deliveries.addAnswer(session.frame(answer), to: answer, for: session.handle)
        // Rule P3 ends a session for an append alone: a conflict of a healing frame concerns that frame.
        guard answer.error?.code == .sequenceConflict, answer.append.request.healing == nil else { return }
        end(session, .sequenceConflict)
    }

    /// Records what is in the log of a frame that is not answered yet.
    func isLogged(in rest: PendingAppend) {
        guard let session = open[rest.session], session.incarnation(of: rest) == session.incarnation else { return }
        let last = rest.request.firstSequence.advanced(by: rest.taken - 1)
        session.lastSequence = max(session.lastSequence, last)
    }

    /// Ends the look-up for the session's oldest frame. When the log could not be asked, that frame is answered with an
    /// error: the device is to send it again.
    /// - Parameter found: what the log holds at the frame's places; nil when the log could not be asked.
    /// - Returns: the session's frames that can be staged now, in their order.
    func placesFound(_ id: UInt64, _ found: FoundPlaces?) -> [PendingAppend] {
        guard let session = open[id], var first = session.looksUp.first else { return [] }
        var frames = session.looksUp
        session.looksUp = []
        if let found {
            first.found = found
            frames[0] = first
            return frames
        }
        let error = ProtocolError(
            .unavailable, "The log cannot be read at the moment. Send again.", retryAfterMilliseconds: 1_000,
            sequence: first.request.firstSequence)
        session.notTaken(error, about: first)
        let frame = FrameCodec.frame(.error(error))
        deliveries.add(.answered(frame: frame, released: first.request.charge), to: session.handle)
        return Array(frames.dropFirst())
    }
}

extension LaneSession {
    /// The answer's bytes; empty when the device is told nothing. Remembers what the device is told.
    fileprivate func frame(_ answer: AppendStaging.Answer) -> [UInt8] {
        var frame: [UInt8] = []
        if let appended = answer.appended {
            // An answer that names an incarnation is about another one than the session's own (rule S6).
            if appended.incarnation == nil { lastSequence = max(lastSequence, appended.throughSequence) }
            frame += FrameCodec.frame(.appended(appended))
        }
        if let recalled = answer.recalled { frame += FrameCodec.frame(.recalled(recalled)) }
        // Rule P4: a gap is reported once. It counts as reported here and not when it is staged, because a frame may be
        // staged again.
        let gap = gap(answer)
        if let error = answer.error, gap == nil || gap != reportedGap {
            frame += FrameCodec.frame(.error(error))
            notTaken(error, about: answer.append)
        }
        reportedGap = gap
        return frame
    }

    private func gap(_ answer: AppendStaging.Answer) -> Gap? {
        guard let error = answer.error, error.code == .sequenceGap else { return nil }
        return Gap(incarnation: incarnation(of: answer.append), expected: error.expected)
    }

    /// The incarnation that the append is about.
    fileprivate func incarnation(of append: PendingAppend) -> Incarnation {
        append.request.healing?.incarnation ?? incarnation
    }

    /// Records that the frame was not taken: if its events may be sent again, those behind them are not taken before
    /// they come (rule P4).
    func notTaken(_ error: ProtocolError, about append: PendingAppend) {
        awaited.remember(error, about: append.request, in: incarnation(of: append))
    }
}
