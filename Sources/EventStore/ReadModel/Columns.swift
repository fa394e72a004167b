import FocusCore
import PostgresClient

/// Columns for people, each from one property of the rows' messages; NULL where there is no message.
enum Columns {
    static func text<Message>(_ rows: [Message?], _ value: (Message) -> String?) -> PostgresValue {
        .textArray(rows.map { $0.flatMap(value)?.storable })
    }

    static func bool<Message>(_ rows: [Message?], _ value: (Message) -> Bool?) -> PostgresValue {
        .boolArray(rows.map { $0.flatMap(value) })
    }

    static func integer<Message>(_ rows: [Message?], _ value: (Message) -> Int64?) -> PostgresValue {
        .int8OptionalArray(rows.map { $0.flatMap(value) })
    }

    static func real<Message>(_ rows: [Message?], _ value: (Message) -> Double?) -> PostgresValue {
        .float8Array(rows.map { $0.flatMap(value) })
    }

    static func time<Message>(_ rows: [Message?], _ value: (Message) -> Timestamp?) -> PostgresValue {
        .timestamptzArray(rows.map { $0.flatMap(value)?.stored.microseconds })
    }

    /// Case names.
    static func name<Message, Case: Hashable>(_ rows: [Message?], _ value: (Message) -> Case) -> PostgresValue {
        var names = CaseNames<Case>()
        return text(rows) { names[value($0)] }
    }

    /// Case names, for `text[]`: divided by spaces.
    static func names<Message, Case: Hashable>(_ rows: [Message?], _ value: (Message) -> Set<Case>) -> PostgresValue {
        var names = CaseNames<Case>()
        return text(rows) { value($0).map { names[$0] }.sorted().joined(separator: " ") }
    }
}

/// Remembers what cases are called: to print one takes longer than to decode a row.
private struct CaseNames<Case: Hashable> {
    private var names: [Case: String] = [:]

    subscript(_ value: Case) -> String {
        mutating get {
            if let known = names[value] { return known }
            let name = "\(value)"
            names[value] = name
            return name
        }
    }
}
