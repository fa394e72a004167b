import EventStore
import FocusCore
import FocusWire
import Foundation

/// Events of the log as JSON, one line each. The names are those of the columns of table `events`, in camel case.
package enum EventText {
    package static func json(_ event: LoggedEvent) -> String { object(event).text }

    /// Appends the bytes of `json`.
    package static func append(_ event: LoggedEvent, to output: inout [UInt8]) { object(event).append(to: &output) }

    /// The payload as JSON; nil when this program cannot read it.
    package static func payload(_ event: LoggedEvent) -> [UInt8]? {
        guard event.encoding == LoggedEvent.asSent || event.encoding == LoggedEvent.healed,
            let type = EventType(rawValue: event.type)
        else { return nil }
        return try? PayloadCodec.jsonBytes(type, schemaVersion: event.schemaVersion, event.payload)
    }

    private static func object(_ event: LoggedEvent) -> JSONText {
        var json = JSONText()
        json.add("partition", event.partition.rawValue)
        json.add("logOffset", event.offset.rawValue)
        json.add("userId", id: event.user)
        json.add("version", event.version.rawValue)
        json.add("deviceId", id: event.device)
        // As text: the number may be beyond what a script's floating-point numbers hold.
        json.add("incarnation", String(event.incarnation.rawValue))
        json.add("deviceSeq", event.sequence.rawValue)
        json.add("eventId", id: event.id)
        json.add("type", event.type)
        json.add("appId", event.app?.rawValue)
        json.add("occurredAt", time: event.occurredAt)
        json.add("recordedAt", time: event.recordedAt)
        json.add("schemaVersion", event.schemaVersion)
        json.add("encoding", event.encoding)
        addPayload(event, to: &json)
        return json
    }

    /// Adds the payload as JSON; one that this program cannot read as base64.
    private static func addPayload(_ event: LoggedEvent, to json: inout JSONText) {
        // Present only where the log had lost the event and got it back (rule S6).
        if event.encoding == LoggedEvent.healed { json.add("healed", true) }
        if let payload = payload(event) {
            json.addRaw("payload", payload)
        } else {
            json.add("payloadBase64", Data(event.payload).base64EncodedString())
        }
    }
}
