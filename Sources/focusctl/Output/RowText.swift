import FocusCore
import FocusWire
import Foundation

/// Rows for people and for scripts.
enum RowText {
    /// Longer values are cut in tables.
    private static let widestValue = 60

    /// The row's message as proto3 JSON; of bytes that are none, what is wrong with them.
    static func json(_ collection: RowCollection, _ value: [UInt8]) -> String {
        do {
            return try RowJSON.json(collection, value)
        } catch {
            return JSONText.string("unreadable: \(error.message)")
        }
    }

    /// `name=value` for each field, by name.
    static func summary(_ collection: RowCollection, _ value: [UInt8]) -> String {
        let json = json(collection, value)
        guard let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else { return json }
        return object.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
    }

    private static func text(_ value: Any) -> String {
        var text = "\(value)"
        if value is [Any] || value is [String: Any],
            let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
        {
            text = String(decoding: data, as: UTF8.self)
        } else if let string = value as? String, string.isEmpty || string.contains(where: \.isWhitespace) {
            text = JSONText.string(string)
        }
        return text.count > widestValue ? text.prefix(widestValue) + "…" : text
    }
}
