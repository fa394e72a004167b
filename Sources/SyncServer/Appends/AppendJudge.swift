import EventStore
import FocusCore
import FocusWire
import Foundation

/// Judges what devices append: one frame in; what the log gets of it, and what its device is told, out (rules E1, E2, P2
/// to P5, P10, S6). Folds into the user's state what it stages, and asks nobody: what the log holds at earlier places
/// comes with the frame.
struct AppendJudge {
    let log: LogID
    /// Nil: answers carry no receipts.
    let receiptKey: ReceiptKey?
    let clock: ServerClock
    let format: LogFormat
    /// How long a user whose fold fails is left alone.
    let quarantineMilliseconds: Int64

    enum Verdict {
        /// What the log gets and what the device is told is staged.
        case staged
        /// The same, as far as the user's fold went: their state is of no use any more.
        case foldFailed(any Error)
        /// What the log holds at these places is to be looked up first.
        case needsPlaces(ClosedRange<DeviceSequence>, of: Incarnation)
        /// It is to be judged when what was staged before it is committed, and before what came after it.
        case postponed
    }

    /// The user's fold failed.
    struct FoldFailure: Error { var reason: any Error }

    func judge(
        _ append: PendingAppend, of session: LaneSession, _ user: CachedUser, into staging: inout AppendStaging
    ) -> Verdict {
        var answer = AppendStaging.Answer(append: append, partition: user.partition)
        // Rules A3 and P3: nothing of it is logged. The session ends when what ends it, staged before it, is committed.
        guard !user.state.isRevoked(session.identity.device), !staging.ended.contains(append.session) else {
            staging.answers.append(answer)
            return .staged
        }
        var frame = AppendContext(append, session, user, recordedAt: staging.recordingTime(of: user.partition))
        do throws(FoldFailure) {
            if let error = missing(before: frame) {
                answer.error = error
            } else if let error = try bind(&frame, into: &staging) {
                answer.error = error
            } else if let places = unknownPlaces(of: frame) {
                // Another session's frame of this user may be staged already: the log does not hold it yet. And one of this
                // session that is staged may have to be staged again.
                let isAlone =
                    staging.touched[user.id] == nil
                    && !staging.answers.contains { $0.append.session == append.session }
                return isAlone ? .needsPlaces(places, of: frame.incarnation) : .postponed
            } else {
                switch append.request.healing {
                case .lost(let lost): try stage(lost, frame, &answer, into: &staging)
                case .recall(let recall): answer.recalled = recalled(recall, frame)
                case .reoffer, nil: try stageEvents(frame, &answer, into: &staging)
                }
            }
        } catch {
            answer.error = .userQuarantined(milliseconds: quarantineMilliseconds)
            staging.answers.append(answer)
            return .foldFailed(error.reason)
        }
        staging.answers.append(answer)
        return .staged
    }

    /// A frame before it could not be taken and has not come again (rule P4). Nil: none.
    private func missing(before frame: AppendContext) -> ProtocolError? {
        let request = frame.append.request
        guard let place = frame.session.awaited.missing(before: request, in: frame.incarnation) else { return nil }
        return ProtocolError(
            .sequenceGap, "Events before this one were not taken. Send from \(place).", expected: place,
            sequence: request.firstSequence)
    }

    // MARK: Recording

    func record(
        _ event: Event, _ logged: LoggedPayload, _ user: CachedUser, into staging: inout AppendStaging
    ) throws(FoldFailure) {
        do {
            try staging.record(event, logged, user)
        } catch {
            throw FoldFailure(reason: error)
        }
    }

    /// An event of the server's own.
    func record(
        _ body: EventBody, _ frame: inout AppendContext, into staging: inout AppendStaging
    ) throws(FoldFailure) {
        let event = frame.user.reading { state in
            Event(
                version: state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: state.lastSequence(of: .server, incarnation: Incarnation(0)).next, id: EventID(UUID()),
                app: nil, occurredAt: frame.recordedAt, recordedAt: frame.recordedAt, body: body)
        }
        try record(event, LoggedPayload(body), frame.user, into: &staging)
        frame.refresh()
    }

    func subject(of frame: AppendContext) -> ReceiptSubject {
        let identity = frame.session.identity
        return ReceiptSubject(
            log: log, user: identity.user, device: identity.device, incarnation: frame.incarnation,
            scope: identity.scope)
    }
}

extension LoggedPayload {
    /// Of an event that the server makes.
    init(_ body: EventBody) {
        self.init(type: body.type, schemaVersion: FocusWire.payloadSchemaVersion, payload: PayloadCodec.encode(body))
    }
}

extension ProtocolError {
    /// - Parameter milliseconds: until the user is tried again.
    static func userQuarantined(milliseconds: Int64) -> ProtocolError {
        ProtocolError(
            .userQuarantined, "This user's events cannot be folded at the moment. Nothing is lost; try again later.",
            retryAfterMilliseconds: UInt32(clamping: milliseconds))
    }
}
