import EventStore
import FocusCore
import FocusWire

extension LaneSessions {
    /// Tells the session what became of an append frame, and gives its bytes back to the inbound budget.
    func deliver(_ answer: AppendStaging.Answer) {
        let released = answer.append.request.bytes
        guard let session = open[answer.append.session] else { return context.budget.give(released) }
        deliveries.add(.answered(frame: session.frame(answer), released: released), to: session.handle)
        // Rule P3.
        guard answer.error?.code == .sequenceConflict, answer.append.request.healing == nil else { return }
        end(session, .sequenceConflict)
    }

    /// What the log holds at the places of the session's oldest frame was looked up; nil: it could not be.
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
        session.note(error, about: first)
        let frame = FrameCodec.frame(.error(error))
        deliveries.add(.answered(frame: frame, released: first.request.bytes), to: session.handle)
        return Array(frames.dropFirst())
    }
}

extension LaneSession {
    /// The answer's bytes; none when nothing is said.
    fileprivate func frame(_ answer: AppendStaging.Answer) -> [UInt8] {
        var frame: [UInt8] = []
        if let appended = answer.appended {
            // Of an earlier incarnation, when the device heals the log (rule S6), it says nothing about this store's.
            if appended.incarnation == nil { lastSequence = max(lastSequence, appended.throughSequence) }
            frame += FrameCodec.frame(.appended(appended))
        }
        if let recalled = answer.recalled { frame += FrameCodec.frame(.recalled(recalled)) }
        // Rule P4: a gap is reported once. Not before it is delivered: what is staged may be staged again.
        let gap = gap(answer)
        if let error = answer.error, gap == nil || gap != reportedGap {
            frame += FrameCodec.frame(.error(error))
            note(error, about: answer.append)
        }
        reportedGap = gap
        return frame
    }

    private func gap(_ answer: AppendStaging.Answer) -> Gap? {
        guard let error = answer.error, error.code == .sequenceGap else { return nil }
        return Gap(incarnation: incarnation(of: answer.append), expected: error.expected)
    }

    /// The one that the append is about.
    private func incarnation(of append: PendingAppend) -> Incarnation {
        append.request.healing?.incarnation ?? incarnation
    }

    /// What follows the frame waits for it (rule P4).
    func note(_ error: ProtocolError, about append: PendingAppend) {
        awaited.note(error, about: append.request, in: incarnation(of: append))
    }
}
