/// Checks one event's fields; the first that fails decides. Messages name fields, never their content.
struct FieldCheck {
    private(set) var refusal: Refusal?

    mutating func refuse(_ code: RefusalCode, _ message: String) {
        if refusal == nil { refusal = Refusal(code, message) }
    }

    /// A field that is part of a row's key: not empty, and short enough for an index.
    mutating func identifier(_ field: StaticString, _ value: String) {
        required(field, value, limit: EventLimits.identifierBytes)
    }

    mutating func required(_ field: StaticString, _ value: String, limit: Int = EventLimits.stringBytes) {
        if value.isEmpty { refuse(.fieldMissing, "\(field) is empty") }
        text(field, value, limit: limit)
    }

    mutating func text(_ field: StaticString, _ value: String?, limit: Int = EventLimits.stringBytes) {
        guard let value else { return }
        if value.utf8.count > limit { refuse(.stringTooLong, "\(field) is longer than \(limit) bytes of UTF-8") }
        // PostgreSQL's text cannot hold it, and no person types it.
        if value.utf8.contains(0) { refuse(.fieldInvalid, "\(field) holds U+0000") }
    }

    mutating func count(_ field: StaticString, _ count: Int, limit: Int = EventLimits.listEntries) {
        if count > limit { refuse(.tooMany, "\(field) has more than \(limit) entries") }
    }

    /// Rules D2, E5. Depth first: only what is not too deep is measured.
    mutating func property(_ field: StaticString, _ value: PropertyValue) {
        if value.depth > EventLimits.propertyDepth {
            refuse(.valueTooDeep, "\(field) is nested more than \(EventLimits.propertyDepth) deep")
        } else if value.encoded.count > EventLimits.propertyBytes {
            refuse(.valueTooLarge, "\(field) takes more than \(EventLimits.propertyBytes) bytes")
        } else {
            texts(field, of: value)
        }
    }

    private mutating func texts(_ field: StaticString, of value: PropertyValue) {
        switch value {
        case .bool, .integer, .real, .date, .data: break
        case .string(let string): text(field, string)
        case .array(let values): for value in values { texts(field, of: value) }
        case .dictionary(let dictionary):
            for entry in dictionary.entries {
                text(field, entry.key)
                texts(field, of: entry.value)
            }
        }
    }
}
