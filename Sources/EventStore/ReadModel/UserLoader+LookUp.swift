import FocusCore
import PostgresClient

extension UserLoader {
    /// The outlines of those of the users whom the read model shows with all their events and with the sums of their
    /// digests. The others are to be loaded, and so are those who would take too much memory together.
    ///
    /// Throws `PostgresError`.
    /// - Parameter generations: the generation that each partition showed when it was last read.
    func lookUp(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32], on connection: PostgresConnection
    ) throws -> [UserID: UserOutline] {
        var outlines: [UserID: UserOutline] = [:]
        for (generation, users) in try byGeneration(users, generations, on: connection) {
            do {
                outlines.merge(try lookUp(users, generation, on: connection)) { $1 }
            } catch let error as PostgresError where error.isUndefinedTable {
                // The generation was dropped since. Loads find the one that is shown.
                continue
            }
        }
        return outlines
    }

    private func lookUp(
        _ users: [(Partition, UserID)], _ generation: Generation, on connection: PostgresConnection
    ) throws -> [UserID: UserOutline] {
        let result = try connection.query(
            generation.statement(Queries.lookUpUsers),
            [
                .int4Array(users.map(\.0.rawValue)), .uuidArray(users.map(\.1.uuid)), .int8(Int64(bytes)),
                .int8(Self.unknownBytes),
            ])
        var found: [UserID: (stored: StoredUser, hasMore: Bool, digests: [UInt8]?)] = [:]
        for row in 0..<result.rowCount where try LoadColumn.isHead(result, row) {
            let stored = try StoredUser(result, row, tail: LoadTail(events: 1, bytes: 1))
            let isKnown = !result.isNull(row: row, column: LoadColumn.value)
            found[stored.user] = (
                stored, try result.bool(row: row, column: LoadColumn.isDeleted),
                isKnown ? try result.bytes(row: row, column: LoadColumn.value) : nil
            )
        }
        for row in 0..<result.rowCount where try !LoadColumn.isHead(result, row) {
            let user = UserID(try result.uuid(row: row, column: LoadColumn.user))
            try found[user]?.stored.append(result, row)
        }
        return found.compactMapValues {
            UserOutline($0.stored, hasMore: $0.hasMore, digests: $0.digests, generation, rules: rules)
        }
    }
}
