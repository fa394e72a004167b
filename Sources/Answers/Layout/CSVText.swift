/// Lines of comma-separated values (RFC 4180).
package enum CSVText {
    /// The fields on one line, with its end.
    package static func line(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\r\n"
    }

    private static func quoted(_ field: String) -> String {
        let isPlain = field.utf8.allSatisfy {
            $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
        }
        return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
