import FocusCore
import PostgresClient

/// Loads users: their rows, and the events that the rows do not show yet, folded in. One statement, so one snapshot.
public struct UserLoader: Sendable {
    public init() {}

    /// The users' states. A user without events has a state of version 0. One whose rows or events do not fold is a
    /// `.failure` and disturbs nobody else.
    ///
    /// Throws `PostgresError`, and `EventStoreError.corrupt` when a partition does not exist.
    public func load(
        _ users: [(Partition, UserID)], on connection: PostgresConnection
    ) throws -> [UserID: Result<LoadedUser, any Error>] {
        var loaded: [UserID: Result<LoadedUser, any Error>] = [:]
        var waiting = [Generation.first: users]
        // A round for each generation that is active somewhere: normally one, two around a cut-over.
        for _ in 0..<4 where !waiting.isEmpty {
            var elsewhere: [Generation: [(Partition, UserID)]] = [:]
            for (generation, users) in waiting {
                for stored in try read(users, generation, on: connection).values {
                    let active = Generation(stored.head.generation)
                    if active == generation {
                        loaded[stored.user] = Result { try stored.folded() }
                    } else {
                        elsewhere[active, default: []].append((stored.head.partition, stored.user))
                    }
                }
            }
            waiting = elsewhere
        }
        if let generation = waiting.keys.first { throw EventStoreError.noGeneration(generation.number) }
        guard users.allSatisfy({ loaded[$0.1] != nil }) else {
            throw EventStoreError.corrupt("a user's partition is not in log_partitions")
        }
        return loaded
    }

    private func read(
        _ users: [(Partition, UserID)], _ generation: Generation, on connection: PostgresConnection
    ) throws(PostgresError) -> [UserID: StoredUser] {
        guard !users.isEmpty else { return [:] }
        let result = try connection.query(
            generation.statement(Queries.loadUsers),
            [.int4Array(users.map(\.0.rawValue)), .uuidArray(users.map(\.1.uuid))])
        var stored: [UserID: StoredUser] = [:]
        // UNION ALL keeps the order of its branches, but nothing promises that: heads first, whatever comes.
        for row in 0..<result.rowCount where try LoadColumn.isHead(result, row) {
            let head = try StoredUser(result, row)
            stored[head.user] = head
        }
        for row in 0..<result.rowCount where try !LoadColumn.isHead(result, row) {
            let user = UserID(try result.uuid(row: row, column: LoadColumn.user))
            try stored[user]?.append(result, row)
        }
        return stored
    }
}
