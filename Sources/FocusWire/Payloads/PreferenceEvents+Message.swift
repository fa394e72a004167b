import FocusCore
import Foundation

extension Focus_Events_V1_PreferencesRegistered: PayloadMessage {
    init(_ event: PreferencesRegistered) {
        self.init()
        build = event.build
        defaults = event.defaults.entries.map { Focus_Events_V1_PropertyEntry($0) }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .preferencesRegistered(
            PreferencesRegistered(build: build, defaults: try PropertyDictionary(defaults, field: "defaults")))
    }
}

extension Focus_Events_V1_PreferenceChanged: PayloadMessage {
    init(_ event: PreferenceChanged) {
        self.init()
        key = event.key
        value = Focus_Events_V1_PropertyValue(event.value)
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .preferenceChanged(PreferenceChanged(key: key, value: try PropertyValue(value, field: "value")))
    }
}

extension Focus_Events_V1_PreferenceReset: PayloadMessage {
    init(_ event: PreferenceReset) {
        self.init()
        key = event.key
    }

    func eventBody() throws(PayloadError) -> EventBody { .preferenceReset(PreferenceReset(key: key)) }
}

extension Focus_Events_V1_PropertyValue {
    init(_ value: PropertyValue) {
        self.init()
        switch value {
        case .bool(let bool): kind = .bool(bool)
        case .integer(let integer): kind = .integer(integer)
        case .real(let real): kind = .real(real)
        case .string(let string): kind = .string(string)
        case .date(let date): kind = .dateUs(date.microseconds)
        case .data(let data): kind = .data(Data(data))
        case .array(let values):
            var array = Focus_Events_V1_PropertyArray()
            array.values = values.map { Focus_Events_V1_PropertyValue($0) }
            kind = .array(array)
        case .dictionary(let dictionary):
            var message = Focus_Events_V1_PropertyDictionary()
            message.entries = dictionary.entries.map { Focus_Events_V1_PropertyEntry($0) }
            kind = .dictionary(message)
        }
    }
}

extension Focus_Events_V1_PropertyEntry {
    fileprivate init(_ entry: PropertyDictionary.Entry) {
        self.init()
        key = entry.key
        value = Focus_Events_V1_PropertyValue(entry.value)
    }
}

extension PropertyValue {
    /// Converts a message and all values in it. The decoder bounds how deep a message goes, so this ends.
    init(_ message: Focus_Events_V1_PropertyValue, field: String) throws(PayloadError) {
        switch message.kind {
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .string(let string): self = .string(string)
        case .dateUs(let microseconds): self = .date(Timestamp(microseconds: microseconds))
        case .data(let data): self = .data(Array(data))
        case .array(let array):
            var values: [PropertyValue] = []
            for value in array.values { values.append(try PropertyValue(value, field: field)) }
            self = .array(values)
        case .dictionary(let dictionary):
            self = .dictionary(try PropertyDictionary(dictionary.entries, field: field))
        case nil: throw .malformed("\(field) has a value without one of the known types.")
        }
    }
}

extension PropertyDictionary {
    fileprivate init(_ entries: [Focus_Events_V1_PropertyEntry], field: String) throws(PayloadError) {
        var values: [Entry] = []
        for entry in entries { values.append(Entry(entry.key, try PropertyValue(entry.value, field: field))) }
        guard let dictionary = PropertyDictionary(values) else { throw .malformed("\(field) has a key twice.") }
        self = dictionary
    }
}
