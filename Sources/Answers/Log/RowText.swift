import FocusCore
import FocusWire

/// Rows for people and for scripts.
package enum RowText {
    /// How many characters of a value tables show.
    private static let widestValue = 60

    /// The row's message as proto3 JSON; for bytes that do not decode, a string that says what is wrong with them.
    package static func json(_ collection: RowCollection, _ value: [UInt8]) -> String {
        do {
            return try RowJSON.json(collection, value)
        } catch {
            return JSONText.string("unreadable: \(error.message)")
        }
    }

    /// `name=value` for each field, in the order of the JSON.
    package static func summary(_ collection: RowCollection, _ value: [UInt8]) -> String {
        let json = json(collection, value)
        // Then it is the string that says what is wrong with the row.
        guard let members = try? JSONObjectSlices.members(of: Array(json.utf8)) else { return json }
        return members.map { "\($0.name)=\(text($0.value))" }.joined(separator: " ")
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String {
        var text = String(decoding: value, as: UTF8.self)
        let inner = text.dropFirst().dropLast()
        if text.first == "\"", !inner.isEmpty, !inner.contains(where: { $0.isWhitespace || $0 == "\\" }) {
            text = String(inner)
        }
        return text.count > widestValue ? text.prefix(widestValue) + "…" : text
    }
}
