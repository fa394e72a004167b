import Foundation

/// A JSON object on one line. It is written by hand so that a payload's own JSON is inserted unchanged.
package struct JSONText {
    private var members: [String] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        if let value { addRaw(name, Self.string(value)) }
    }

    package mutating func add(_ name: String, _ value: some FixedWidthInteger) { addRaw(name, String(value)) }
    package mutating func add(_ name: String, _ value: Bool) { addRaw(name, value ? "true" : "false") }

    /// - Parameter json: a JSON value.
    package mutating func addRaw(_ name: String, _ json: String) { members.append("\(Self.string(name)):\(json)") }

    package var text: String { "{\(members.joined(separator: ","))}" }

    package static func string(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
