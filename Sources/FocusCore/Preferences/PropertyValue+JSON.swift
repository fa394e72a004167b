extension PropertyValue {
    /// Plain JSON on one line, for SQL users and for people: a date is a number of microseconds since 1970, data is
    /// base64, a real always has a point or an exponent, and one that is no finite number is a string. What the types
    /// were cannot be read back from it; `encoded` holds them.
    public var json: String {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .real(let value): value.isFinite ? "\(value == 0 ? 0 : value)" : "\"\(value.isNaN ? "NaN" : "\(value)")\""
        case .string(let value): Self.quoted(value)
        case .date(let value): String(value.microseconds)
        case .data(let value): "\"\(Self.base64(value))\""
        case .array(let values): "[\(values.map(\.json).joined(separator: ","))]"
        case .dictionary(let dictionary):
            "{\(dictionary.entries.map { "\(Self.quoted($0.key)):\($0.value.json)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            // jsonb accepts no U+0000, and no event brings one.
            case "\u{0}": json += "\u{FFFD}"
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\u{1}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }

    /// RFC 4648 §4.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for index in 0..<4 {
                let digit = Int(bits >> (18 - 6 * UInt32(index)) & 0x3F)
                text.append(index <= group.count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
