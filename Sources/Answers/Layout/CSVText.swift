/// Lines of comma-separated values (RFC 4180).
package struct CSVText {
    private var bytes: [UInt8] = []
    private var isEmpty = true

    package init() {}

    /// The fields on one line, with its end. U+0000, which no table takes, becomes U+FFFD.
    package static func line(_ fields: [String]) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes) { line in
            for field in fields {
                line.add(field.utf8.contains(0) ? field.replacing("\0", with: "\u{FFFD}") : field)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a line whose fields `add` adds, with its end. They are written in place.
    package static func append(to output: inout [UInt8], _ add: (inout CSVText) -> Void) {
        var line = CSVText()
        swap(&line.bytes, &output)
        add(&line)
        line.bytes.append(contentsOf: "\r\n".utf8)
        swap(&line.bytes, &output)
    }

    package mutating func add(_ field: String) { add { $0.append(contentsOf: field.utf8) } }
    package mutating func add(_ field: Int64) { addPlain { $0.append(decimal: field) } }

    /// Adds the field that `write` appends.
    package mutating func add(_ write: (inout [UInt8]) -> Void) {
        let start = begin()
        write(&bytes)
        if needsQuotes(from: start) { quote(from: start) }
    }

    /// Adds the field that `write` appends, which has nothing that needs quotes.
    package mutating func addPlain(_ write: (inout [UInt8]) -> Void) {
        _ = begin()
        write(&bytes)
    }

    /// Begins a field, and returns where.
    private mutating func begin() -> Int {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        return bytes.count
    }

    private func needsQuotes(from start: Int) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes[start...].contains {
                $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
                    || $0 == UInt8(ascii: "\r")
            }
        }
    }

    /// Puts quotes around the field, and doubles those in it: from its end on, so that nothing is overwritten that is
    /// still to be read.
    private mutating func quote(from start: Int) {
        let quote = UInt8(ascii: "\"")
        var from = bytes.count
        let quotes = bytes.withUnsafeBufferPointer { bytes in bytes[start...].count { $0 == quote } }
        bytes.append(contentsOf: repeatElement(quote, count: quotes + 2))
        bytes.withUnsafeMutableBufferPointer { bytes in
            var to = bytes.count - 1
            while from > start {
                (from, to) = (from - 1, to - 1)
                let byte = bytes[from]
                bytes[to] = byte
                // Written for every byte, as a branch on each would be mispredicted: unless this one is a quote, the
                // next overwrites it. What stood there was read already, because the first quote is still to come.
                bytes[to - 1] = byte
                to -= byte == quote ? 1 : 0
            }
            bytes[start] = quote
        }
    }
}
