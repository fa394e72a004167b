import EventStore
import FocusCore

/// Rule P10: the log says whose an incarnation is before it has an event of it, and that it has ended before a device is
/// told what of it there is.
extension AppendJudge {
    /// Sees that the frame's incarnation is its scope's. Nil: it is; what says so is staged before the frame.
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
            if let oldest = frame.user.state.incarnationToEnd(of: identity.device, identity.scope) {
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

    private func tooMany(_ frame: AppendContext) -> ProtocolError? {
        let identity = frame.session.identity
        let free = frame.user.state.mayBeginIncarnation(of: identity.device, identity.scope, at: frame.recordedAt)
        guard let free else { return nil }
        // The device waits by the clock, and the log's time may be some steps ahead of that (`ServerClock.step`).
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
