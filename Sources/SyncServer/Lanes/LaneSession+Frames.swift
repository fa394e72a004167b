import FocusCore
import FocusWire

extension LaneSession {
    /// Whether rows are owed to the session: it was sent the rows of an earlier version than the user's, or its snapshot
    /// is not finished.
    func isBehind(_ user: CachedUser) -> Bool { user.reading { subscription.isBehind($0) } }

    /// The version of the user as the session counts (rule Z1).
    func version(_ user: CachedUser) -> Version { user.reading { $0.head(of: subscription.view).version } }

    /// The next frames for the session, and moves its subscription past them. None when everything was sent, or when
    /// the view saw no change.
    func nextFrames(of user: CachedUser) -> [[UInt8]] {
        let shared = user.deltas == nil ? nil : user.reading { subscription.nextDelta($0) }
        if let shared, let frame = user.deltas?.frame(of: shared) {
            subscription.adopt(shared)
            return frame.map { [$0] } ?? []
        }
        let messages = user.reading { subscription.advance($0) }
        let frames = messages.map { FrameCodec.frame($0) }
        if let shared, user.reading({ $0.mayShare(messages, of: shared) }) {
            user.deltas?.keep(frames.first, of: shared)
        }
        return frames
    }

    /// Whether the frame of its next delta was made for another session.
    func nextIsMade(_ user: CachedUser) -> Bool {
        guard user.deltas != nil, let next = user.reading({ subscription.nextDelta($0) }) else { return false }
        return user.deltas?.frame(of: next) != nil
    }
}
