import EventStore
import FocusCore

/// What a lane is asked to do.
enum LaneRequest: Sendable {
    case open(SessionHandle, SessionOpening)
    case append(session: UInt64, IncomingAppend)
    /// The device has taken what was queued: send it more.
    case resume(session: UInt64)
    /// Send these collections afresh; none: all (rule S9).
    case resync(session: UInt64, [RowCollection])
    /// Tell the session of these users, whose partitions are this lane's (rule V1).
    case watch(SessionHandle, Viewer, [UserID])
    case unwatch(session: UInt64, [UserID])
    case close(session: UInt64)
    case fetch(session: UInt64, FetchRequest)
    /// What was found in a finished route's points.
    case fetched(PendingFetch)
    /// What stands at the places that the session's oldest frame is about; nil: the log could not be asked.
    case placesFound(session: UInt64, FoundPlaces?)
    case projected(Partition, ProjectionReport)
    /// Other servers may have appended.
    case headsMayHaveMoved
    case stop

    /// Bytes of the inbound budget that it takes until the lane takes it up: a device may ask as fast as it sends, and the
    /// lane may be waiting for the database. Appends take theirs until they are answered; of the others there is one of
    /// each kind per session.
    var cost: Int {
        switch self {
        case .resync(_, let collections): 100 + collections.count
        case .watch(_, _, let users): 100 + 16 * users.count
        case .unwatch(_, let users): 100 + 16 * users.count
        case .open, .append, .resume, .close, .fetch, .fetched, .placesFound, .projected, .headsMayHaveMoved, .stop: 0
        }
    }
}
