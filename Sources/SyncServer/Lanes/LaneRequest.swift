import EventStore
import FocusCore

/// What a lane is asked to do.
enum LaneRequest: Sendable {
    case open(SessionHandle, SessionOpening)
    case append(session: UInt64, IncomingAppend)
    /// The device has taken what was queued: send it more.
    case resume(session: UInt64)
    case resync(session: UInt64)
    case close(session: UInt64)
    case projected(Partition, ProjectionReport)
    /// Other servers may have appended.
    case headsMayHaveMoved
    case stop
}

/// An append frame whose payloads were decoded on the connection's event loop, to spare the lane.
struct IncomingAppend: Sendable {
    var firstSequence: DeviceSequence
    var events: [IncomingEvent]
    /// What it took of the inbound budget.
    var bytes: Int
}

struct IncomingEvent: Sendable {
    var envelope: Envelope
    /// Nil: this program does not know the type (rule E2).
    var type: EventType?
    /// Nil: the payload does not decode.
    var body: EventBody?
}
