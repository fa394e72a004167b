import EventStore
import FocusCore

/// Rule P10: before the first event of an incarnation, the log gets an event that binds it to its scope. Before a
/// recall is answered, the log gets an event that ends the incarnation.
extension AppendJudge {
    /// Stages the events that bind the frame's incarnation to its scope, and that end it when the frame is a recall.
    /// Also ends the oldest open incarnation of the scope where a new one would be too many.
    /// - Returns: why the frame cannot be taken: the incarnation is of another scope, or one too many. Nil: go on.
    func bind(_ frame: inout AppendContext, into staging: inout AppendStaging) throws(FoldFailure) -> ProtocolError? {
        let isRecall = if case .recall = frame.append.request.healing { true } else { false }
        switch frame.status.standing {
        case .own(let isEnded):
            if isRecall, !isEnded { try record(ended(frame.incarnation, frame), &frame, into: &staging) }
        case .foreign: return .incarnationOfAnotherScope
        case .unknown, .unbound:
            guard format.hasIncarnations else { return nil }
            if frame.status.standing == .unknown, let error = tooMany(frame) { return error }
            let identity = frame.session.identity
            // One that ends unknown takes no place among the open ones.
            if !isRecall, let oldest = frame.user.state.incarnationToEnd(of: identity.device, identity.scope) {
                try record(ended(oldest, frame), &frame, into: &staging)
            }
            try record(
                isRecall ? ended(frame.incarnation, frame) : began(frame.incarnation, frame), &frame, into: &staging)
        }
        return nil
    }

    private func began(_ incarnation: Incarnation, _ frame: AppendContext) -> EventBody {
        let identity = frame.session.identity
        return .deviceIncarnationBegan(
            DeviceIncarnationBegan(device: identity.device, incarnation: incarnation, scope: identity.scope))
    }

    private func ended(_ incarnation: Incarnation, _ frame: AppendContext) -> EventBody {
        let identity = frame.session.identity
        return .deviceIncarnationEnded(
            DeviceIncarnationEnded(device: identity.device, incarnation: incarnation, scope: identity.scope))
    }

    /// The error when the scope of the device began as many incarnations as it may in a day; nil when it may begin one.
    private func tooMany(_ frame: AppendContext) -> ProtocolError? {
        let identity = frame.session.identity
        let free = frame.user.state.mayBeginIncarnation(of: identity.device, identity.scope, at: frame.recordedAt)
        guard let free else { return nil }
        // The device waits by the wall clock, and the log's time may be some steps ahead of it (`ServerClock.step`).
        let wait = (free.microseconds - clock.wall().microseconds) / 1_000 + 1
        return ProtocolError(
            .tooMany, "The device began as many incarnations as it may in a day. Wait, then send again.",
            retryAfterMilliseconds: UInt32(clamping: wait), sequence: frame.append.request.firstSequence)
    }
}

extension ProtocolError {
    static let incarnationOfAnotherScope = ProtocolError(
        .sequenceConflict, "This incarnation belongs to another scope of the device. Begin a new one.")
}
