import Answers
import FocusCore
import FocusSyncClient
import FocusWire
import Programs

/// Effective values of preferences for people and for scripts.
enum PreferenceText {
    /// One line for a preference.
    /// - Parameter value: nil: the preference has none.
    static func line(_ key: RowKey, _ value: PropertyValue?, _ version: Version, asJSON: Bool) throws -> String {
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
    static func json(_ value: PropertyValue) throws -> String {
        do {
            return try PropertyValueJSON.json(value)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    static func value(_ bytes: [UInt8], of key: RowKey) throws -> PropertyValue {
        do {
            return try PreferenceRow(decoding: bytes).value
        } catch {
            throw CommandFailure("The value of \(key.key) is of a type that this program does not know.")
        }
    }
}

/// What became of an event about preferences.
enum PreferenceOutcome {
    /// The user's version at which the last event is durable. Throws when that event was refused.
    static func version(_ outcomes: [AppendOutcome], _ app: AppID) throws -> Version {
        guard let outcome = outcomes.last else { throw CommandFailure("There was nothing to append.") }
        switch outcome.verdict {
        case .accepted: return outcome.version
        case .refused(let code, let message):
            throw CommandFailure("\(outcome.type) of \(app) was refused: \(code): \(message)")
        }
    }
}
