import FocusCore
internal import SwiftProtobuf

/// Event payloads: the protobuf bytes that devices send and the log keeps, and their proto3 JSON for people.
public enum PayloadCodec {
    /// What a payload says. Unknown fields are ignored (rule W3), unknown enum numbers are malformed; values are not
    /// judged beyond that, the fold does (a NaN passes).
    public static func decode(
        _ type: EventType, schemaVersion: Int32, _ payload: [UInt8]
    ) throws(PayloadError) -> EventBody {
        try check(schemaVersion)
        if let body = payload.withUnsafeBytes({ EventBody.direct(type, $0) }) { return body }
        return try generated(type, payload)
    }

    /// The payload of an event, of schema version `FocusWire.payloadSchemaVersion`. Equal bodies give equal bytes.
    public static func encode(_ body: EventBody) -> [UInt8] {
        serialize(body.message)
    }

    /// A payload as proto3 JSON, one line. Equal payloads give equal text; fields this program does not know are left
    /// out.
    public static func json(
        _ type: EventType, schemaVersion: Int32, _ payload: [UInt8]
    ) throws(PayloadError) -> String {
        var bytes: [UInt8] = []
        try appendJSON(type, schemaVersion: schemaVersion, payload, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of `json`; nothing when it throws.
    public static func appendJSON(
        _ type: EventType, schemaVersion: Int32, _ payload: [UInt8], to output: inout [UInt8]
    ) throws(PayloadError) {
        try check(schemaVersion)
        if payload.withUnsafeBytes({ JSONTranscoder.append(type, $0, to: &output) }) { return }
        output.append(contentsOf: try generatedJSON(type, payload))
    }

    /// By generated code alone. The transcoder must agree with it; tests compare.
    static func generatedJSON(_ type: EventType, _ payload: [UInt8]) throws(PayloadError) -> [UInt8] {
        try jsonBytes(message(type, payload), of: type.rawValue)
    }

    /// The payload that a proto3 JSON object means. Field names that the message does not have are refused: a
    /// misspelt field would be lost otherwise.
    public static func payload(_ type: EventType, json: String) throws(PayloadError) -> [UInt8] {
        let message: any PayloadMessage
        do {
            message = try type.message.init(jsonString: json)
        } catch {
            throw .malformed(describe(error, type, json))
        }
        _ = try message.eventBody()
        return serialize(message)
    }

    /// By generated code alone. The direct path above must agree with it; tests compare.
    static func generated(_ type: EventType, _ payload: [UInt8]) throws(PayloadError) -> EventBody {
        try message(type, payload).eventBody()
    }

    static func json(_ message: any SwiftProtobuf.Message, of name: String) throws(PayloadError) -> String {
        String(decoding: try jsonBytes(message, of: name), as: UTF8.self)
    }

    private static func jsonBytes(
        _ message: any SwiftProtobuf.Message, of name: String
    ) throws(PayloadError) -> [UInt8] {
        var options = JSONEncodingOptions()
        options.useDeterministicOrdering = true
        do {
            return try message.jsonUTF8Bytes(options: options)
        } catch {
            throw .malformed("\(name) has no JSON form: \(error).")
        }
    }

    private static func check(_ schemaVersion: Int32) throws(PayloadError) {
        guard schemaVersion >= 1 else { throw .malformed("schema_version is \(schemaVersion); the first is 1.") }
        guard schemaVersion <= FocusWire.payloadSchemaVersion else { throw .unknownSchemaVersion(schemaVersion) }
    }

    private static func message(_ type: EventType, _ payload: [UInt8]) throws(PayloadError) -> any PayloadMessage {
        do {
            return try type.message.init(serializedBytes: payload, options: .lenient)
        } catch {
            throw .malformed(PayloadFlaw.describe(type, payload))
        }
    }

    private static func serialize(_ message: any PayloadMessage) -> [UInt8] {
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        do {
            return try message.serializedBytes(options: options)
        } catch {
            // Serializing fails for required fields, extensions and sizes over 2 GiB; a payload has none of them.
            preconditionFailure("cannot serialize \(error)")
        }
    }

    private static func describe(_ error: any Error, _ type: EventType, _ json: String) -> String {
        let place = PayloadFlaw.field(type, json: json).map { "in field \"\($0)\"" }
        switch error as? JSONDecodingError {
        case .unknownField(let name) where place == nil || place == "in field \"\(name)\"":
            return "\(type.rawValue) has no field \"\(name)\"."
        case .unknownField(let name): return "\(type.rawValue) has no field \"\(name)\" \(place ?? "")."
        case .unrecognizedEnumValue:
            return "\(type.rawValue): an enum \(place.map { $0 + " " } ?? "")has a value that it does not know."
        case .some(let reason):
            return "This is not the JSON of \(type.rawValue)\(place.map { ", " + $0 } ?? ""): \(reason)."
        case nil: return "This is not the JSON of \(type.rawValue)."
        }
    }
}

extension BinaryDecodingOptions {
    /// Unknown fields are dropped at once instead of kept for a re-encoding that never comes (rule W3).
    static let lenient: BinaryDecodingOptions = {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        return options
    }()
}
