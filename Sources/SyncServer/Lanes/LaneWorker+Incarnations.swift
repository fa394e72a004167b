import EventStore
import FocusCore
import FocusWire
import Foundation

/// Rule P10: the log says whose an incarnation is before it has an event of it, and that it has ended before a device is
/// told what of it there is.
extension LaneWorker {
    /// Sees that the frame's incarnation is its scope's. Nil: it is; what says so is staged before the frame.
    func bind(_ request: inout AppendContext, into staging: inout AppendStaging) -> ProtocolError? {
        let isRecall = if case .recall = request.append.request.healing { true } else { false }
        switch request.status.standing {
        case .own(let isEnded):
            guard isRecall, !isEnded else { return nil }
            return log(.deviceIncarnationEnded(ended(request.incarnation, request)), &request, into: &staging)
        case .foreign: return .incarnationOfAnotherScope
        case .unknown, .unbound:
            guard context.format.hasIncarnations else { return nil }
            if request.status.standing == .unknown, let error = tooMany(request) { return error }
            if let oldest = request.user.state.oldestIncarnation(
                of: request.session.identity.device, request.session.identity.scope)
            {
                let error = log(.deviceIncarnationEnded(ended(oldest, request)), &request, into: &staging)
                if let error { return error }
            }
            guard !isRecall else {
                return log(.deviceIncarnationEnded(ended(request.incarnation, request)), &request, into: &staging)
            }
            let identity = request.session.identity
            let began = DeviceIncarnationBegan(
                device: identity.device, incarnation: request.incarnation, scope: identity.scope)
            return log(.deviceIncarnationBegan(began), &request, into: &staging)
        }
    }

    private func ended(_ incarnation: Incarnation, _ request: AppendContext) -> DeviceIncarnationEnded {
        let identity = request.session.identity
        return DeviceIncarnationEnded(device: identity.device, incarnation: incarnation, scope: identity.scope)
    }

    private func tooMany(_ request: AppendContext) -> ProtocolError? {
        let identity = request.session.identity
        let free = request.user.state.mayBeginIncarnation(
            of: identity.device, identity.scope, at: request.recordedAt)
        guard let free else { return nil }
        // The device waits by the clock, and the log's time may be some steps ahead of that (`ServerClock.step`).
        let wait = (free.microseconds - context.clock.wall().microseconds) / 1_000 + 1
        return ProtocolError(
            .tooMany, "The device began as many incarnations as it may in a day. Wait, then send again.",
            retryAfterMilliseconds: UInt32(clamping: wait), sequence: request.append.request.firstSequence)
    }

    /// An event of the server's own.
    private func log(
        _ body: EventBody, _ request: inout AppendContext, into staging: inout AppendStaging
    ) -> ProtocolError? {
        let event = request.user.reading { state in
            Event(
                version: state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: state.lastSequence(of: .server, incarnation: Incarnation(0)).next, id: EventID(UUID()),
                app: nil, occurredAt: request.recordedAt, recordedAt: request.recordedAt, body: body)
        }
        let logged = (body.type, FocusWire.payloadSchemaVersion, PayloadCodec.encode(body))
        guard record(event, logged, request.user, into: &staging) else { return userQuarantined(request.user.id) }
        request.refresh()
        return nil
    }
}

extension ProtocolError {
    static let incarnationOfAnotherScope = ProtocolError(
        .sequenceConflict, "This incarnation belongs to another scope of the device. Begin a new one.")
}
