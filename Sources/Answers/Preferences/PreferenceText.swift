import FocusCore
import FocusWire

/// Effective values of preferences for people and for scripts.
package enum PreferenceText {
    /// One line for a preference.
    /// - Parameter value: nil: the preference has none.
    package static func line(_ key: RowKey, _ value: PropertyValue?, _ version: Version, asJSON: Bool) throws -> String
    {
        guard asJSON else {
            return value.map { "\(key.key) \($0.kind) \(PropertyText.text($0))" } ?? "\(key.key) has no value"
        }
        var object = JSONText()
        object.add("app", key.app?.rawValue)
        object.add("key", key.key)
        object.addRaw("value", try value.map { try json($0) } ?? "null")
        object.add("version", version.rawValue)
        return object.text
    }

    /// The value as JSON with its type: `{"integer":"3"}`.
    package static func json(_ value: PropertyValue) throws -> String {
        do {
            return try PropertyValueJSON.json(value)
        } catch {
            throw PropertyTextError(error.message)
        }
    }

    package static func value(_ bytes: [UInt8], of key: RowKey) throws -> PropertyValue {
        do {
            return try PreferenceRow(decoding: bytes).value
        } catch {
            throw PropertyTextError("The value of \(key.key) is of a type that this program does not know.")
        }
    }
}
