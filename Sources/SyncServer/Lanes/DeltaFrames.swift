import FocusCore

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
