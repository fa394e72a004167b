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

    /// Case names, for `text[]`: divided by spaces.
    static func names<Message, Case>(_ rows: [Message?], _ value: (Message) -> Set<Case>) -> PostgresValue {
        text(rows) { value($0).map { "\($0)" }.sorted().joined(separator: " ") }
    }
}
