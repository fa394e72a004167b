import FocusCore
import FocusWire
import Foundation

/// An event as a person or a script writes it, one JSON object per line:
/// `{"type":"focus.changed","app":"…"?,"occurredAt":"2026-01-01T09:00:00Z" or microseconds?,"payload":{proto3 JSON}?}`.
/// `appId`, as the log's column is called, means the same as `app`.
public enum EventLine {
    /// How many bytes a line has at most; a longer one holds no payload that a server accepts (rule E5).
    public static let maximumBytes = 4 * 1024 * 1024

    /// The event that a line describes.
    /// - Throws: `EventLineError`, which says what is wrong with the line.
    public static func draft(_ line: some Collection<UInt8>) throws(EventLineError) -> EventDraft {
        guard line.count <= maximumBytes else { throw EventLineError("The line is over \(maximumBytes) bytes long.") }
        var type: EventType?
        var app: String?
        var occurredAt: Timestamp?
        var payload: ArraySlice<UInt8> = Array("{}".utf8)[...]
        for member in try members(of: Array(line)) {
            switch member.name {
            case "type": type = try eventType(try string(member))
            case "app", "appId":
                guard app == nil else { throw EventLineError("\"app\" and \"appId\" are the same.") }
                app = isNull(member) ? nil : try string(member)
            case "occurredAt": occurredAt = isNull(member) ? nil : try time(member)
            case "payload": payload = member.value
            default: throw EventLineError("\"\(member.name)\" is none of type, app (or appId), occurredAt and payload.")
            }
        }
        guard let type else { throw EventLineError("\"type\" is missing.") }
        do {
            let bytes = try PayloadCodec.payload(type, json: String(decoding: payload, as: UTF8.self))
            return EventDraft(type: type.rawValue, app: app, occurredAt: occurredAt, payload: bytes)
        } catch {
            throw EventLineError(error.message)
        }
    }

    private static func members(of line: [UInt8]) throws(EventLineError) -> [JSONObjectSlices.Member] {
        do {
            return try JSONObjectSlices.members(of: line)
        } catch {
            throw EventLineError(error.message)
        }
    }

    private static func eventType(_ name: String) throws(EventLineError) -> EventType {
        if let type = EventType(rawValue: name) { return type }
        let known = EventType.allCases.map(\.rawValue).joined(separator: ", ")
        throw EventLineError("\"\(name)\" is no type of event. There are: \(known).")
    }

    private static func isNull(_ member: JSONObjectSlices.Member) -> Bool { Array(member.value) == Array("null".utf8) }

    private static func string(_ member: JSONObjectSlices.Member) throws(EventLineError) -> String {
        do {
            return try JSONDecoder().decode(String.self, from: Data(member.value))
        } catch {
            throw EventLineError("\"\(member.name)\" must be a string.")
        }
    }

    private static func time(_ member: JSONObjectSlices.Member) throws(EventLineError) -> Timestamp {
        if let microseconds = Int64(String(decoding: member.value, as: UTF8.self)) {
            return Timestamp(microseconds: microseconds)
        }
        guard member.value.first == UInt8(ascii: "\""), let time = Timestamp(rfc3339: try string(member)) else {
            throw EventLineError(
                "\"occurredAt\" must be a time like \"2026-01-01T09:00:00.5Z\", or microseconds since 1970.")
        }
        return time
    }
}

/// What is wrong with a line; for the person who wrote it.
public struct EventLineError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
