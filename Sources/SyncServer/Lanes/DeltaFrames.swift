import FocusCore
import FocusWire

/// Frames of deltas that several sessions of a user get alike: made and encoded for the first of them.
struct DeltaFrames {
    private var made: [(delta: SharedDelta, frame: [UInt8]?)] = []
    /// Kinds of views at different versions; more are made one by one.
    private static let limit = 16

    /// Nil inside: the view saw no change, and nothing is sent.
    func frame(of delta: SharedDelta) -> [UInt8]?? { made.first { $0.delta == delta }?.frame }

    mutating func keep(_ frame: [UInt8]?, of delta: SharedDelta) {
        guard made.count < Self.limit else { return }
        made.append((delta, frame))
    }
}

extension LaneSession {
    /// The user's state has more than the session was sent.
    func isBehind(_ user: CachedUser) -> Bool { subscription.liveVersion.map { $0 < user.state.version } ?? true }

    /// What comes next; none when everything was sent, or the view saw no change.
    func nextFrames(of user: CachedUser) -> [[UInt8]] {
        let shared = user.deltas == nil ? nil : user.reading { subscription.nextDelta($0) }
        if let shared, let frame = user.deltas?.frame(of: shared) {
            subscription.take(shared)
            return frame.map { [$0] } ?? []
        }
        let messages = user.reading { subscription.advance($0) }
        let frames = messages.map { FrameCodec.frame($0) }
        if let shared, user.reading({ $0.mayShare(messages, of: shared) }) {
            user.deltas?.keep(frames.first, of: shared)
        }
        return frames
    }
}
