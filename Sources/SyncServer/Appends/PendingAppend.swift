import EventStore
import FocusCore

/// An append frame on its way through the lane.
struct PendingAppend {
    var session: UInt64
    var request: IncomingAppend
    /// What the log holds at the frame's places; nil before they are looked up.
    var found: FoundPlaces?
    /// Nil before any of its events is in the log.
    var progress: AppendProgress?

    /// How many of the frame's events are in the log.
    var taken: Int { progress?.taken ?? 0 }
    /// Whether the log has all of its events, and only the answer is missing.
    var isTaken: Bool { progress.map { $0.taken == request.events.count } ?? false }
}
