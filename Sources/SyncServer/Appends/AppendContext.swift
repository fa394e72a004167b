import EventStore
import FocusCore

/// A frame while it is staged, and whose it is.
struct AppendContext {
    let append: PendingAppend
    let session: LaneSession
    let user: CachedUser
    let recordedAt: Timestamp
    /// The incarnation that the frame is about.
    let incarnation: Incarnation

    /// What the log knows of that incarnation: looked up once, and again after an event that begins or ends it.
    private(set) var status: UserState.IncarnationStatus

    init(_ append: PendingAppend, _ session: LaneSession, _ user: CachedUser, recordedAt: Timestamp) {
        self.append = append
        self.session = session
        self.user = user
        self.recordedAt = recordedAt
        incarnation = append.request.healing?.incarnation ?? session.incarnation
        status = user.reading { [incarnation] in
            $0.status(of: incarnation, device: session.identity.device, scope: session.identity.scope)
        }
    }

    mutating func refresh() { self = AppendContext(append, session, user, recordedAt: recordedAt) }

    var isEnded: Bool { status.standing == .own(isEnded: true) }

    var isForgottenEarlier: Bool {
        user.reading { $0.isForgottenEarlier(incarnation, of: session.identity.device) }
    }

    /// Those of its places that the log has reached.
    var earlierPlaces: ClosedRange<DeviceSequence>? {
        let request = append.request
        let count =
            switch request.healing {
            case .recall(let recall): recall.events.count
            // It is not asked what stands where nothing comes.
            case .lost: 0
            case .reoffer, nil: request.events.count
            }
        guard count > 0, request.firstSequence > .zero else { return nil }
        let end = request.firstSequence.advanced(by: count - 1)
        // It may have been further before it began again.
        if case .recall = request.healing, user.state.hasBegunAgain(incarnation, of: session.identity.device) {
            return request.firstSequence...end
        }
        return request.firstSequence <= status.last ? request.firstSequence...min(status.last, end) : nil
    }
}
