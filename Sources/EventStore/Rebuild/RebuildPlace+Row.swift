import FocusCore
import PostgresClient

extension RebuildPlace {
    static func read(
        of generation: Generation, on connection: PostgresConnection
    ) throws -> [RebuildPlace] {
        let result = try connection.query(Queries.readRebuildPartitions, [.int4(generation.number)])
        return try (0..<result.rowCount).map { try RebuildPlace(generation, result, $0) }
    }

    private init(_ generation: Generation, _ result: PostgresResult, _ row: Int) throws {
        let name = try result.text(row: row, column: 1)
        guard let phase = Phase(rawValue: name) else { throw EventStoreError.corrupt("a rebuild in phase \(name)") }
        self.generation = generation
        self.phase = phase
        partition = Partition(try result.int4(row: row, column: 0))
        through = LogOffset(try result.int8(row: row, column: 2))
        after = result.isNull(row: row, column: 3) ? nil : UserID(try result.uuid(row: row, column: 3))
        events = try result.int8(row: row, column: 4)
        users = try result.int8(row: row, column: 5)
        followed = LogOffset(try result.int8(row: row, column: 6))
    }
}

extension UserID? {
    /// As the database has it: NULL for nobody.
    var stored: PostgresValue { map { .uuid($0.uuid) } ?? .null }
}
