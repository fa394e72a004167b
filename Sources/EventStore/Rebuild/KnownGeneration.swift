import PostgresClient

/// A generation that has rows.
struct KnownGeneration {
    enum Kind: String { case rebuild, rollback }

    let generation: Generation
    let foldVersion: Int32
    /// How many partitions show it.
    let partitions: Int64
    /// Whether a rebuild or a rollback has shown it last, or is about to; nil for the generation that came with the
    /// database.
    let kind: Kind?
    let verifies: Bool
    let isUnfinished: Bool
    /// Whether the generations that were shown before are kept when the rebuild or rollback ends.
    let keepsOld: Bool

    static func all(on connection: PostgresConnection) throws -> [KnownGeneration] {
        let result = try connection.query(Queries.readGenerations)
        return try (0..<result.rowCount).map { row in
            let kind = result.isNull(row: row, column: 3) ? nil : Kind(rawValue: try result.text(row: row, column: 3))
            return KnownGeneration(
                generation: Generation(try result.int4(row: row, column: 0)),
                foldVersion: try result.int4(row: row, column: 1), partitions: try result.int8(row: row, column: 2),
                kind: kind, verifies: kind == nil ? false : try result.bool(row: row, column: 4),
                isUnfinished: kind == nil ? false : try !result.bool(row: row, column: 5),
                keepsOld: kind == nil ? false : try result.bool(row: row, column: 6))
        }
    }
}
