import FocusCore
import FocusWire
import Foundation

/// The value of a preference as a person writes and reads it. A text does not say which type it has, so the type is
/// given beside it (rule D2).
package enum PropertyText {
    /// The types of values (rule D2) that a text can be read as.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case bool, integer, real, string, date, data
        /// Any value, containers among them, as proto3 JSON of the message `PropertyValue`.
        case json
    }

    /// The value that `text` means as this kind: `true`, `false`, `yes` or `no`; a whole number; a number, `nan` or
    /// `inf`; any text; `2026-01-01T09:00:00Z`; base64; `{"array":{"values":[{"integer":"1"}]}}`.
    /// - Throws: `PropertyTextError` when the text is none of this kind.
    package static func value(_ text: String, as kind: Kind) throws(PropertyTextError) -> PropertyValue {
        switch kind {
        case .bool:
            if ["true", "yes"].contains(text) { return .bool(true) }
            if ["false", "no"].contains(text) { return .bool(false) }
            throw PropertyTextError("A bool is true, false, yes or no.")
        case .integer:
            if let integer = Int64(text) { return .integer(integer) }
            throw PropertyTextError("An integer is a whole number of at most 64 bits.")
        case .real:
            if let real = Double(text) { return .real(real) }
            throw PropertyTextError("A real is a number.")
        case .string: return .string(text)
        case .date:
            if let time = Timestamp(rfc3339: text) { return .date(time) }
            throw PropertyTextError("A date is a time like 2026-01-01T09:00:00Z.")
        case .data:
            if let data = Data(base64Encoded: text) { return .data([UInt8](data)) }
            throw PropertyTextError("Data is base64.")
        case .json:
            do {
                return try PropertyValueJSON.value(text)
            } catch {
                throw PropertyTextError(error.message)
            }
        }
    }

    /// The value on one line, for people: a string and a date as they are written, everything else (and a string with
    /// line breaks) as plain JSON.
    package static func text(_ value: PropertyValue) -> String {
        switch value {
        case .date(let date): date.rfc3339
        case .string(let text) where !text.contains(where: \.isNewline): text
        case .bool, .integer, .real, .string, .data, .array, .dictionary: value.json
        }
    }
}

/// What is wrong with a text, or with a value that has none; for the person who meets it.
package struct PropertyTextError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
