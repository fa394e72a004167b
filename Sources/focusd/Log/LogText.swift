/// Texts of others in a line of the log: of devices, of PostgreSQL, of libraries. A line break in one would begin a line
/// of its author's own, an escape would move the reader's cursor, and an override of direction would show the line in
/// another order. They are written out as JSON writes them, `\u001b`.
enum LogText {
    /// Appends the text, at most `limit` bytes of it as it is written.
    /// - Parameter isQuoted: whether it stands between quotation marks; these and `\` are then written `\"` and `\\`.
    /// - Returns: whether the text was cut; it ends with `…` then.
    static func append(_ text: String, to line: inout [UInt8], limit: Int, isQuoted: Bool = false) -> Bool {
        let end = line.count + limit
        // Where the text is cut if it turns out too long: there is room for the ellipsis behind it.
        var cut = line.count
        for scalar in text.unicodeScalars {
            if isQuoted, scalar == "\"" || scalar == "\\" {
                line.append(UInt8(ascii: "\\"))
                line.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16)
                line += "\\u".utf8
                line += String(repeating: "0", count: max(0, 4 - digits.utf8.count)).utf8
                line += digits.utf8
            } else if scalar.isASCII {
                line.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                line += UTF8.encode(scalar).map(Array.init) ?? []
            }
            if line.count > end {
                line.removeSubrange(cut...)
                line += "…".utf8
                return true
            }
            if line.count <= end - "…".utf8.count { cut = line.count }
        }
        return false
    }

    /// Whether the text can stand behind `key=` without quotation marks.
    static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || Self.marks.contains(byte)
            }
    }

    private static let marks = Set("-_.:/+@%,".utf8)

    /// Control characters, what some readers take for the end of a line, and overrides of direction.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
