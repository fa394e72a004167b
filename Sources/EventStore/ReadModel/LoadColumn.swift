import PostgresClient

/// The columns of `load_users`.
enum LoadColumn {
    static let kind = 0
    static let user = 1
    static let partition = 2
    static let app = 3
    static let key = 4
    static let keyBytes = 5
    static let version = 6
    static let isDeleted = 7
    static let value = 8
    static let memo = 9
    static let offset = 10
    static let device = 11
    static let incarnation = 12
    static let sequence = 13
    static let event = 14
    static let occurredAt = 15
    static let recordedAt = 16
    static let schemaVersion = 17
    static let encoding = 18

    static let headKind = "head"
    static let eventKind = "event"

    static func isHead(_ result: PostgresResult, _ row: Int) throws(PostgresError) -> Bool {
        try result.isText(row: row, column: kind, headKind)
    }

    static func isEvent(_ result: PostgresResult, _ row: Int) throws(PostgresError) -> Bool {
        try result.isText(row: row, column: kind, eventKind)
    }
}
