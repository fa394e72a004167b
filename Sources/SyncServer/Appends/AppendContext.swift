import EventStore
import FocusCore

/// An append frame while it is judged, with its session, its user and what the log knows of its incarnation.
struct AppendContext {
    let append: PendingAppend
    let session: LaneSession
    let user: CachedUser
    /// The `recorded_at` of the events that come of the frame.
    let recordedAt: Timestamp
    /// See `AppendJudge.judge`.
    let connected: Set<DeviceID>
    /// The incarnation that the frame is about: the session's, or an earlier one that the device heals or recalls.
    let incarnation: Incarnation

    /// What the user's state knows of `incarnation`. `refresh` reads it again.
    private(set) var status: UserState.IncarnationStatus

    init(
        _ append: PendingAppend, _ session: LaneSession, _ user: CachedUser, recordedAt: Timestamp,
        connected: Set<DeviceID>
    ) {
        self.append = append
        self.session = session
        self.user = user
        self.recordedAt = recordedAt
        self.connected = connected
        incarnation = append.request.healing?.incarnation ?? session.incarnation
        status = user.reading { [incarnation] in
            $0.status(of: incarnation, device: session.identity.device, scope: session.identity.scope)
        }
    }

    /// Reads `status` again, after an event that begins or ends an incarnation was folded.
    mutating func refresh() {
        self = AppendContext(append, session, user, recordedAt: recordedAt, connected: connected)
    }

    /// Whether the incarnation has ended (rule P10).
    var isEnded: Bool { status.standing == .own(isEnded: true) }

    /// See `UserState.isForgottenEarlier`.
    var isForgottenEarlier: Bool {
        user.reading { $0.isForgottenEarlier(incarnation, of: session.identity.device) }
    }

    /// The places of the frame's events that are not dealt with yet, at which the log may hold an event; nil when it
    /// has none.
    var earlierPlaces: ClosedRange<DeviceSequence>? {
        let request = append.request
        let first = request.firstSequence.advanced(by: append.taken)
        let count =
            switch request.healing {
            case .recall(let recall): recall.events.count
            // A declaration of loss brings no events, so nothing has to be known of what stands at its places.
            case .lost: 0
            case .reoffer, nil: request.events.count - append.taken
            }
        guard count > 0, request.firstSequence > .zero else { return nil }
        let end = first.advanced(by: count - 1)
        // An incarnation that began again at 1 may have events past its last sequence, from the time before.
        if case .recall = request.healing, user.state.hasBegunAgain(incarnation, of: session.identity.device) {
            return first...end
        }
        return first <= status.last ? first...min(status.last, end) : nil
    }
}
