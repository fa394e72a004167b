import EventStore
import FocusCore

/// What the log gets of an event: the device's bytes, or the refusal in their place (rule E2).
struct LoggedPayload {
    var type: EventType
    var schemaVersion: Int32
    var payload: [UInt8]
}
