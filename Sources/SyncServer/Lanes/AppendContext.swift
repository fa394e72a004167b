import EventStore
import FocusCore

/// A frame while it is staged, and whose it is.
struct AppendContext {
    let append: PendingAppend
    let session: LaneSession
    let user: CachedUser
    let recordedAt: Timestamp

    init(_ append: PendingAppend, _ session: LaneSession, _ user: CachedUser, recordedAt: Timestamp) {
        self.append = append
        self.session = session
        self.user = user
        self.recordedAt = recordedAt
    }

    /// The one that the frame is about.
    var incarnation: Incarnation { append.request.healing?.incarnation ?? session.incarnation }

    var standing: UserState.IncarnationStanding {
        user.reading {
            $0.standing(of: incarnation, device: session.identity.device, scope: session.identity.scope)
        }
    }

    var isEnded: Bool { standing == .own(isEnded: true) }

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
        let device = session.identity.device
        // It may have been further before it began again.
        if case .recall = request.healing, user.state.hasBegunAgain(incarnation, of: device) {
            return request.firstSequence...end
        }
        let last = user.state.lastSequence(of: device, incarnation: incarnation)
        return request.firstSequence <= last ? request.firstSequence...min(last, end) : nil
    }
}
