/// Text as a JSON string, as SwiftProtobuf writes it: controls up to U+001F and from U+007F to U+009F are escaped.
enum JSONStringBytes {
    /// Appends the string with its quotes. Throws when the bytes are no UTF-8.
    static func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(Unusual) {
        output.append(UInt8(ascii: "\""))
        if isPlain(text) {
            output.append(contentsOf: text)
        } else {
            for scalar in try FieldReader.string(text).unicodeScalars { append(scalar, to: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether the text stands in JSON as it is. Without an early end the loop takes many bytes at once.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var isPlain = true
        for byte in text {
            isPlain = isPlain && byte >= 0x20 && byte < 0x7F
            isPlain = isPlain && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return isPlain
    }

    private static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "\u{8}": output.append(contentsOf: "\\b".utf8)
        case "\t": output.append(contentsOf: "\\t".utf8)
        case "\n": output.append(contentsOf: "\\n".utf8)
        case "\u{C}": output.append(contentsOf: "\\f".utf8)
        case "\r": output.append(contentsOf: "\\r".utf8)
        case "\"": output.append(contentsOf: "\\\"".utf8)
        case "\\": output.append(contentsOf: "\\\\".utf8)
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
            output.append(contentsOf: "\\u00".utf8)
            output.append(digit(scalar.value >> 4))
            output.append(digit(scalar.value & 15))
        default: output.append(contentsOf: scalar.utf8)
        }
    }

    private static func digit(_ number: UInt32) -> UInt8 {
        let number = UInt8(truncatingIfNeeded: number)
        return number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "A") - 10 + number
    }
}
