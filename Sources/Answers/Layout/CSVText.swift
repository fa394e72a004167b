/// Lines of comma-separated values (RFC 4180).
package struct CSVText {
    private var bytes: [UInt8] = []
    private var isEmpty = true

    package init() {}

    /// The fields on one line, with its end.
    package static func line(_ fields: [String]) -> String {
        var line = CSVText()
        for field in fields { line.add(field) }
        var bytes: [UInt8] = []
        line.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package mutating func add(_ field: String) { add { $0.append(contentsOf: field.utf8) } }
    package mutating func add(_ field: some FixedWidthInteger) { add(String(field)) }
    package mutating func add(_ field: [UInt8]) { add { $0.append(contentsOf: field) } }

    /// Adds the field that `write` appends.
    package mutating func add(_ write: (inout [UInt8]) -> Void) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        let start = bytes.count
        write(&bytes)
        if bytes[start...].contains(where: Self.needsQuotes) { quote(from: start) }
    }

    /// Appends the line, with its end.
    package func append(to output: inout [UInt8]) {
        output.append(contentsOf: bytes)
        output.append(contentsOf: "\r\n".utf8)
    }

    private mutating func quote(from start: Int) {
        let field = bytes[start...]
        bytes.removeSubrange(start...)
        bytes.append(UInt8(ascii: "\""))
        for byte in field {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }
}
