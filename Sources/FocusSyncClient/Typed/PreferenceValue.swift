import FocusCore

/// A Swift type whose values a preference may have. As in property lists, types stay apart: 1, 1.0 and true are three
/// values (rule D2).
public protocol PreferenceValue: Sendable {
    init?(_ value: PropertyValue)
    var propertyValue: PropertyValue { get }
}

extension Bool: PreferenceValue {
    public init?(_ value: PropertyValue) {
        guard case .bool(let bool) = value else { return nil }
        self = bool
    }

    public var propertyValue: PropertyValue { .bool(self) }
}

extension Int: PreferenceValue {
    public init?(_ value: PropertyValue) {
        guard case .integer(let integer) = value, let exact = Int(exactly: integer) else { return nil }
        self = exact
    }

    public var propertyValue: PropertyValue { .integer(Int64(self)) }
}

extension Double: PreferenceValue {
    public init?(_ value: PropertyValue) {
        guard case .real(let real) = value else { return nil }
        self = real
    }

    public var propertyValue: PropertyValue { .real(self) }
}

extension String: PreferenceValue {
    public init?(_ value: PropertyValue) {
        guard case .string(let string) = value else { return nil }
        self = string
    }

    public var propertyValue: PropertyValue { .string(self) }
}

extension Timestamp: PreferenceValue {
    public init?(_ value: PropertyValue) {
        guard case .date(let date) = value else { return nil }
        self = date
    }

    public var propertyValue: PropertyValue { .date(self) }
}

extension PropertyValue: PreferenceValue {
    public init?(_ value: PropertyValue) { self = value }
    public var propertyValue: PropertyValue { self }
}
