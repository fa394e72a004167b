/// A preference's value: one of the property-list types (rule D2).
///
/// Two values are equal when their canonical bytes are (`encoded`): 1, 1.0 and true differ, strings are compared byte
/// by byte, dictionaries have no order, all NaNs are one value, and so are 0.0 and -0.0.
public enum PropertyValue: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Timestamp)
    case data([UInt8])
    indirect case array([PropertyValue])
    indirect case dictionary(PropertyDictionary)

    public static func == (a: Self, b: Self) -> Bool { a.encoded == b.encoded }
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

    /// The type's name, as property lists call it.
    public var kind: String {
        switch self {
        case .bool: "bool"
        case .integer: "integer"
        case .real: "real"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    /// How many values stand one inside the other: 1 for a value without parts, and for an empty container.
    public var depth: Int {
        switch self {
        case .bool, .integer, .real, .string, .date, .data: 1
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .dictionary(let dictionary): 1 + (dictionary.entries.map(\.value.depth).max() ?? 0)
        }
    }
}

/// A property list's dictionary: each key once, in the order of the keys' UTF-8 bytes.
///
/// It is not a Swift dictionary, which would treat a precomposed é and an e with an accent as one key (see `ByteText`).
public struct PropertyDictionary: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let key: String
        public let value: PropertyValue

        public init(_ key: String, _ value: PropertyValue) {
            self.key = key
            self.value = value
        }

        public static func == (a: Self, b: Self) -> Bool { ByteText.equal(a.key, b.key) && a.value == b.value }

        public func hash(into hasher: inout Hasher) {
            ByteText.hash(key, into: &hasher)
            hasher.combine(value)
        }
    }

    /// Ascending by the bytes of the keys.
    public let entries: [Entry]

    public static let empty = PropertyDictionary(sorted: [])

    private init(sorted entries: [Entry]) { self.entries = entries }

    /// Sorts the entries, which may come in any order; nil when a key is there twice.
    public init?(_ entries: [Entry]) {
        let sorted = entries.sorted { ByteText.precedes($0.key, $1.key) }
        for (a, b) in zip(sorted, sorted.dropFirst()) where ByteText.equal(a.key, b.key) { return nil }
        self.entries = sorted
    }

    /// Nil when there is no such key.
    public subscript(key: String) -> PropertyValue? { entries.first { ByteText.equal($0.key, key) }?.value }
}
