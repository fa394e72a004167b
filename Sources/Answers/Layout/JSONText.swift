import FocusCore

/// A JSON object on one line. It is written by hand so that a payload's own JSON is inserted unchanged, and as bytes,
/// because a replay writes millions of them.
package struct JSONText {
    private var bytes = [UInt8(ascii: "{")]

    package init() {}

    /// Appends an object whose members `add` adds. They are written in place.
    package static func append(to output: inout [UInt8], _ add: (inout JSONText) -> Void) {
        var json = JSONText()
        swap(&json.bytes, &output)
        json.bytes.append(UInt8(ascii: "{"))
        add(&json)
        json.bytes.append(UInt8(ascii: "}"))
        swap(&json.bytes, &output)
    }

    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        Self.append(value, to: &bytes)
    }

    package mutating func add(_ name: String, _ value: some FixedWidthInteger) {
        addRaw(name, String(value))
    }

    package mutating func add(_ name: String, _ value: Int64) {
        begin(name)
        bytes.append(decimal: value)
    }

    /// Adds a number as text.
    package mutating func add(_ name: String, quoted value: Int64) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(decimal: value)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func add(_ name: String, _ value: Bool) { addRaw(name, value ? "true" : "false") }

    /// Adds an identifier as text.
    package mutating func add(_ name: String, id: some UUIDIdentifier) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        id.appendText(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a time as RFC 3339 writes it.
    package mutating func add(_ name: String, time: Timestamp) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        time.appendRFC3339(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// - Parameter json: a JSON value.
    package mutating func addRaw(_ name: String, _ json: String) {
        begin(name)
        bytes.append(contentsOf: json.utf8)
    }

    /// - Parameter json: a JSON value.
    package mutating func addRaw(_ name: String, _ json: [UInt8]) {
        begin(name)
        bytes.append(contentsOf: json)
    }

    /// Adds the JSON value that `write` appends; nothing when it returns false.
    package mutating func addRaw(_ name: String, _ write: (inout [UInt8]) -> Bool) {
        let start = bytes.count
        begin(name)
        if !write(&bytes) { bytes.removeSubrange(start...) }
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

    private mutating func begin(_ name: String) {
        // No value ends with a brace that opens, so one that does is the object's own.
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        Self.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    package static func string(_ text: String) -> String {
        var json: [UInt8] = []
        append(text, to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    private static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.contains(where: needsEscape) {
                for byte in bytes { append(byte, to: &json) }
            } else {
                json.append(contentsOf: bytes)
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private static func append(_ byte: UInt8, to json: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): json.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): json.append(contentsOf: "\\\\".utf8)
        case UInt8(ascii: "\n"): json.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): json.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\t"): json.append(contentsOf: "\\t".utf8)
        case _ where needsEscape(byte):
            let digits = String(byte, radix: 16)
            json.append(contentsOf: "\\u00".utf8)
            if digits.utf8.count == 1 { json.append(UInt8(ascii: "0")) }
            json.append(contentsOf: digits.utf8)
        default: json.append(byte)
        }
    }
}
