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

extension LaneWorker {
    /// To every session of the user what it has not been sent.
    func sendToAll(_ user: CachedUser) {
        let sessions = sessions.sessions(of: user.id)
        user.deltas = sessions.count > 1 ? DeltaFrames() : nil
        for session in sessions { send(to: session, user) }
        user.deltas = nil
    }

    /// The session's next frames; none when everything was sent.
    func nextFrames(of session: LaneSession, _ user: CachedUser) -> [[UInt8]] {
        let shared = user.deltas == nil ? nil : user.reading { session.subscription.nextDelta($0) }
        if let shared, let frame = user.deltas?.frame(of: shared) {
            session.subscription.take(shared)
            return frame.map { [$0] } ?? []
        }
        let messages = user.reading { session.subscription.advance($0) }
        let frames = messages.map { FrameCodec.frame($0) }
        if let shared, user.reading({ $0.mayShare(messages, of: shared) }) {
            user.deltas?.keep(frames.first, of: shared)
        }
        return frames
    }
}
