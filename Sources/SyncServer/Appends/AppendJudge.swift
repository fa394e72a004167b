import EventStore
import FocusCore
import FocusWire
import Foundation

/// Judges append frames (rules E1, E2, P2 to P5, P10, S6).
///
/// Flow: a frame, its session and its user → each event is judged by the rules and folded into the user's state → what
/// the log gets and what the device is told are staged (`AppendStaging`).
///
/// It does no I/O: what the log holds at earlier places comes with the frame (`PendingAppend.found`).
struct AppendJudge {
    let log: LogID
    /// Nil: answers carry no receipts, and no receipt is accepted.
    let receiptKey: ReceiptKey?
    let clock: ServerClock
    let format: LogFormat
    /// How many bytes a user's state may take (rule Q4).
    let userBytes: Int
    let quotas: AppendQuotas
    /// What one refused event takes in an answer at most, in bytes: its code, its text, its id and sequence, and the
    /// tags and lengths of the fields. A full frame's answer stays far below the bound of frames (rule W1).
    static let refusalBytes = codeBytes + Outcome.messageBytes + 48
    /// How long a user whose fold fails is quarantined.
    let quarantineMilliseconds: Int64

    enum Verdict {
        /// The frame's events and its answer are staged.
        case staged
        /// The frame's events are staged as far as the statement has room. The rest goes on once these are committed,
        /// before all later frames of the session (`AppendStaging.Answer.rest`).
        case begun
        /// The events before the one whose fold failed are staged, and so is the answer. The user's state cannot be
        /// used any more.
        case foldFailed(any Error)
        /// Nothing of the frame is staged: what the log holds at these places is to be looked up first.
        case needsPlaces(ClosedRange<DeviceSequence>, of: Incarnation)
        /// The frame has to wait until everything that is staged is committed, and then goes before all later frames.
        /// Only events that bind or end incarnations may be staged for the frame by then.
        case postponed
    }

    /// The fold of a staged event failed: the user's state cannot be used any more.
    struct FoldFailure: Error { var reason: any Error }

    /// Judges a frame and stages what comes of it. May be called again for the same frame, after a look-up of its
    /// places or when its statement lost the race for its partition.
    /// - Parameter connected: the devices of the user that have sessions, for a frame that may revoke some (rule A3).
    func judge(
        _ append: PendingAppend, of session: LaneSession, _ user: CachedUser, connected: Set<DeviceID> = [],
        into staging: inout AppendStaging
    ) -> Verdict {
        var answer = AppendStaging.Answer(append: append, partition: user.partition)
        // Rules A3 and P3: nothing of the frame is logged. An event or an answer that is staged before it ends the
        // session once it is committed.
        guard !user.state.isRevoked(session.identity.device), !staging.ended.contains(append.session) else {
            staging.answers.append(answer)
            return .staged
        }
        var frame = AppendContext(
            append, session, user, recordedAt: staging.recordingTime(of: user.partition), connected: connected)
        do throws(FoldFailure) {
            if let error = missing(before: frame) {
                answer.error = error
            } else if let error = try bind(&frame, into: &staging) {
                answer.error = error
            } else if let places = unknownPlaces(of: frame) {
                // The look-up has to wait while anything of the user is staged, because the log does not hold that yet.
                // It has to wait for earlier frames of the session too: they may have to be staged again.
                let isAlone =
                    !staging.hasFoldedEvents(of: user.id)
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
        return answer.rest == nil ? .staged : .begun
    }

    /// The error when events before the frame were not taken and have not come again (rule P4); nil when none are
    /// missing. A frame that brings what is missing ends the gap.
    private func missing(before frame: AppendContext) -> ProtocolError? {
        let request = frame.append.request
        guard let place = frame.session.awaited.missing(before: request, in: frame.incarnation) else { return nil }
        return ProtocolError(
            .sequenceGap, "Events before this one were not taken. Send from \(place).", expected: place,
            sequence: request.firstSequence)
    }

    // MARK: Recording

    /// Folds the event and stages it for the log.
    func record(
        _ event: Event, _ logged: LoggedPayload, _ user: CachedUser, into staging: inout AppendStaging
    ) throws(FoldFailure) {
        do {
            try staging.record(event, logged, user)
        } catch {
            throw FoldFailure(reason: error)
        }
    }

    /// Folds and stages an event of the server's own, and reads the frame's `status` again.
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

    /// What receipts of the frame's events are bound to (rule S6).
    func subject(of frame: AppendContext) -> ReceiptSubject {
        let identity = frame.session.identity
        return ReceiptSubject(
            log: log, user: identity.user, device: identity.device, incarnation: frame.incarnation,
            scope: identity.scope)
    }
}

extension LoggedPayload {
    /// The payload of an event that the server makes itself.
    init(_ body: EventBody) {
        self.init(type: body.type, schemaVersion: FocusWire.payloadSchemaVersion, payload: PayloadCodec.encode(body))
    }
}

extension ProtocolError {
    /// - Parameter milliseconds: how long until the user's quarantine ends.
    static func userQuarantined(milliseconds: Int64) -> ProtocolError {
        ProtocolError(
            .userQuarantined, "This user's events cannot be folded at the moment. Nothing is lost; try again later.",
            retryAfterMilliseconds: UInt32(clamping: milliseconds))
    }
}
