import EventStore
import FocusCore
import FocusWire
import Foundation

/// Events of the log as JSON, one line each. The names are those of the columns of table `events`, in camel case.
package enum EventText {
    package static func json(_ event: LoggedEvent) -> String {
        var json = JSONText()
        json.add("partition", event.partition.rawValue)
        json.add("logOffset", event.offset.rawValue)
        json.add("userId", event.user.description)
        json.add("version", event.version.rawValue)
        json.add("deviceId", event.device.description)
        // As text: the number may be beyond what a script's floating-point numbers hold.
        json.add("incarnation", String(event.incarnation.rawValue))
        json.add("deviceSeq", event.sequence.rawValue)
        json.add("eventId", event.id.description)
        json.add("type", event.type)
        json.add("appId", event.app?.rawValue)
        json.add("occurredAt", event.occurredAt.rfc3339)
        json.add("recordedAt", event.recordedAt.rfc3339)
        json.add("schemaVersion", event.schemaVersion)
        json.add("encoding", event.encoding)
        addPayload(event, to: &json)
        return json.text
    }

    /// The payload as JSON; nil when this program cannot read it.
    package static func payload(_ event: LoggedEvent) -> String? {
        guard event.encoding == LoggedEvent.asSent || event.encoding == LoggedEvent.healed,
            let type = EventType(rawValue: event.type)
        else { return nil }
        return try? PayloadCodec.json(type, schemaVersion: event.schemaVersion, event.payload)
    }

    /// Adds the payload as JSON; one that this program cannot read as base64.
    private static func addPayload(_ event: LoggedEvent, to json: inout JSONText) {
        // Present only where the log had lost the event and got it back (rule S6).
        if event.encoding == LoggedEvent.healed { json.addRaw("healed", "true") }
        if let payload = payload(event) {
            json.addRaw("payload", payload)
        } else {
            json.add("payloadBase64", Data(event.payload).base64EncodedString())
        }
    }
}
