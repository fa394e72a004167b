/// Text in which nothing moves a terminal's cursor or changes its colours: control characters are written out as JSON
/// writes them, `\u001b`.
package enum VisibleText {
    package static func of(_ text: String, keeping kept: Unicode.Scalar? = nil) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) && $0 != kept }) else { return text }
        return text.unicodeScalars.reduce(into: "") { visible, scalar in
            if isControl(scalar), scalar != kept {
                let digits = String(scalar.value, radix: 16)
                visible += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
