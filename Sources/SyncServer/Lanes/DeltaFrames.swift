import FocusCore
import FocusWire

/// The frames of deltas that several sessions of a user have in common. Each is made for the first session that needs
/// it.
struct DeltaFrames {
    private var made: [(delta: SharedDelta, frame: [UInt8]?)] = []
    /// How many deltas are kept. Sessions that need others get frames of their own.
    private static let limit = 16

    /// The frame of the delta: nil when it was not made yet, and nil inside when the view saw no change, so that
    /// nothing is sent.
    func frame(of delta: SharedDelta) -> [UInt8]?? { made.first { $0.delta == delta }?.frame }

    /// Keeps the frame for other sessions, while there is room.
    /// - Parameter frame: nil: the view saw no change.
    mutating func keep(_ frame: [UInt8]?, of delta: SharedDelta) {
        guard made.count < Self.limit else { return }
        made.append((delta, frame))
    }
}

extension LaneSession {
    /// Whether the session was not sent everything up to the user's version.
    func isBehind(_ user: CachedUser) -> Bool { subscription.liveVersion.map { $0 < user.state.version } ?? true }

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
}
