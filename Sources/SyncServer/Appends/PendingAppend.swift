import EventStore
import FocusCore

/// An append frame on its way through the lane.
struct PendingAppend {
    var session: UInt64
    var request: IncomingAppend
    /// What the log holds at the frame's places; nil before they are looked up.
    var found: FoundPlaces?
}
