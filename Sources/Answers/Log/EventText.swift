import EventStore
import FocusCore
import FocusWire
import Foundation

/// Events of the log as JSON, one line each. The names are those of the columns of table `events`, in camel case.
package enum EventText {
    package static func json(_ event: LoggedEvent) -> String {
        var bytes: [UInt8] = []
        append(event, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of `json`.
    package static func append(_ event: LoggedEvent, to output: inout [UInt8]) {
        JSONText.append(to: &output) { add(event, to: &$0) }
    }

    /// Appends the payload as JSON; false, and nothing, when this program cannot read it.
    package static func appendPayload(_ event: LoggedEvent, to output: inout [UInt8]) -> Bool {
        guard event.encoding == LoggedEvent.asSent || event.encoding == LoggedEvent.healed,
            let type = EventType(rawValue: event.type)
        else { return false }
        do {
            try PayloadCodec.appendJSON(type, schemaVersion: event.schemaVersion, event.payload, to: &output)
            return true
        } catch {
            return false
        }
    }

    private static func add(_ event: LoggedEvent, to json: inout JSONText) {
        json.add("partition", event.partition.rawValue)
        json.add("logOffset", event.offset.rawValue)
        json.add("userId", id: event.user)
        json.add("version", event.version.rawValue)
        json.add("deviceId", id: event.device)
        // As text: the number may be beyond what a script's floating-point numbers hold.
        json.add("incarnation", quoted: event.incarnation.rawValue)
        json.add("deviceSeq", event.sequence.rawValue)
        json.add("eventId", id: event.id)
        json.add("type", event.type)
        json.add("appId", event.app?.rawValue)
        json.add("occurredAt", time: event.occurredAt)
        json.add("recordedAt", time: event.recordedAt)
        json.add("schemaVersion", event.schemaVersion)
        json.add("encoding", event.encoding)
        // Present only where the log had lost the event and got it back (rule S6).
        if event.encoding == LoggedEvent.healed { json.add("healed", true) }
        var isReadable = false
        json.addRaw("payload") { bytes in
            isReadable = appendPayload(event, to: &bytes)
            return isReadable
        }
        // One that this program cannot read.
        if !isReadable { json.add("payloadBase64", Data(event.payload).base64EncodedString()) }
    }
}
