import FocusCore
import PostgresClient

/// Loads users: their rows, and the events that the rows do not show yet, folded in. A state is as of the moment of the
/// statement that reads the rows. That statement returns the beginning of a long tail; the rest is read in chunks.
public struct UserLoader: Sendable {
    /// How many bytes a user is taken for whom the read model says nothing of: those of most users are fewer.
    static let unknownBytes: Int64 = 256 << 10

    let rules: FoldRules
    private let tail: Int
    private let chunk: Int
    let bytes: Int

    /// - Parameters:
    ///   - tail: events that come with the rows, shared among the users of a statement. A lane loads hundreds of users
    ///     at once, whose rows may show nothing yet, and the answer is in memory as a whole.
    ///   - chunk: events that each further statement reads.
    ///   - bytes: what the users of one statement may take in memory, which the last of them may pass; and bytes of
    ///     payload of the events that come with the rows.
    public init(rules: FoldRules = .current, tail: Int = 16_000, chunk: Int = 1_000, bytes: Int = 64 << 20) {
        precondition(tail > 0 && chunk > 0 && bytes > 0)
        self.rules = rules
        self.tail = tail
        self.chunk = chunk
        self.bytes = bytes
    }

    /// The users' states. A user without events has a state of version 0. A user whose rows or events do not fold is a
    /// `.failure` and disturbs nobody else.
    ///
    /// Throws `PostgresError`, and `EventStoreError.corrupt` when a partition does not exist.
    /// - Parameter generations: the generation that each partition showed when it was last read; this spares reading
    ///   the heads. The statement itself returns the generation that is shown: rows of another one are not used.
    public func load(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32] = [:],
        on connection: PostgresConnection
    ) throws -> [UserID: Result<LoadedUser, any Error>] {
        var loaded: [UserID: Result<LoadedUser, any Error>] = [:]
        while true {
            let missing = users.filter { loaded[$0.1] == nil }
            guard !missing.isEmpty else { return loaded }
            let some = try loadSome(missing, assuming: generations, on: connection)
            guard !some.isEmpty else { throw EventStoreError.corrupt("a user's partition is not in log_partitions") }
            loaded.merge(some) { $1 }
        }
    }

    /// The states of the first of the users: as many as take no more memory than the loader may use at once, the last
    /// of them left aside, but one at least. Otherwise as `load`. The result is empty where no user's partition exists.
    public func loadSome(
        _ users: [(Partition, UserID)], assuming generations: [Partition: Int32] = [:],
        on connection: PostgresConnection
    ) throws -> [UserID: Result<LoadedUser, any Error>] {
        var loaded: [UserID: Result<LoadedUser, any Error>] = [:]
        var waiting = try byGeneration(users, generations, on: connection)
        // A round for each generation that is active somewhere: normally one, two around a cut-over.
        for round in 0..<4 where !waiting.isEmpty {
            var elsewhere: [Generation: [(Partition, UserID)]] = [:]
            for (generation, users) in waiting {
                let stored: [UserID: StoredUser]
                do {
                    stored = try readShown(users, generation, on: connection)
                } catch let error as PostgresError where error.isUndefinedTable && round == 0 {
                    // The generation was dropped since; the one that is shown now is there.
                    elsewhere.merge(try byGeneration(users, [:], on: connection)) { $0 + $1 }
                    continue
                }
                for stored in stored.values {
                    let active = Generation(stored.head.generation)
                    if active == generation {
                        loaded[stored.user] = try result(stored, on: connection)
                    } else {
                        elsewhere[active, default: []].append((stored.head.partition, stored.user))
                    }
                }
            }
            waiting = elsewhere
        }
        if let generation = waiting.keys.first { throw EventStoreError.noGeneration(generation.number) }
        return loaded
    }

    func byGeneration(
        _ users: [(Partition, UserID)], _ known: [Partition: Int32], on connection: PostgresConnection
    ) throws(PostgresError) -> [Generation: [(Partition, UserID)]] {
        var known = known
        let unknown = Set(users.map(\.0)).subtracting(known.keys)
        if !unknown.isEmpty {
            for head in try LogReader().heads(of: unknown.sorted(), on: connection) {
                known[head.partition] = head.generation
            }
        }
        return Dictionary(grouping: users) { Generation(known[$0.0] ?? Generation.first.number) }
    }

    // Untyped: a clause of `catch` over a typed error does not compile (Swift 6.3 breaks on it).
    private func readShown(
        _ users: [(Partition, UserID)], _ generation: Generation, on connection: PostgresConnection
    ) throws -> [UserID: StoredUser] {
        try read(users, generation, on: connection)
    }

    /// An error of the user becomes a result; an error of the connection is thrown.
    private func result(
        _ stored: StoredUser, on connection: PostgresConnection
    ) throws -> Result<LoadedUser, any Error> {
        do {
            return .success(try folded(stored, on: connection))
        } catch let error as PostgresError {
            throw error
        } catch {
            return .failure(error)
        }
    }

    /// The state as of the moment at which the user was read, with all events.
    ///
    /// Throws `PostgresError`, and what is wrong with a row or an event.
    func folded(_ stored: StoredUser, on connection: PostgresConnection) throws -> LoadedUser {
        var loaded = try stored.folded(rules)
        guard stored.mayHaveMore else { return loaded }
        try LogReader().forEachEvent(
            of: stored.user, partition: stored.head.partition, after: loaded.state.version, atOnce: chunk,
            on: connection
        ) { event in
            // Events that were logged since stand behind the partition's end at that moment.
            guard event.offset < stored.head.nextOffset else { return false }
            try loaded.apply(event)
            return true
        }
        return loaded
    }

    /// What the rows of one generation say, whether it is active or not, and the first events past them. If the users
    /// would take too much memory together, the first ones alone are read; one at least.
    /// - Parameter takesAll: whether none of them is left out.
    func read(
        _ users: [(Partition, UserID)], _ generation: Generation, takesAll: Bool = false,
        on connection: PostgresConnection
    ) throws(PostgresError) -> [UserID: StoredUser] {
        guard !users.isEmpty else { return [:] }
        let tail = LoadTail(events: max(1, tail / users.count), bytes: max(1, bytes / users.count))
        let bound = takesAll ? Int64.max : Int64(bytes)
        let result = try connection.query(
            generation.statement(Queries.loadUsers),
            [
                .int4Array(users.map(\.0.rawValue)), .uuidArray(users.map(\.1.uuid)), .int8(Int64(tail.events)),
                .int8(Int64(tail.bytes)), .int8(bound), .int8(Self.unknownBytes),
            ])
        var stored: [UserID: StoredUser] = [:]
        // UNION ALL keeps the order of its branches, but nothing promises that: heads are read first, in whatever order
        // they come.
        for row in 0..<result.rowCount where try LoadColumn.isHead(result, row) {
            let head = try StoredUser(result, row, tail: tail)
            stored[head.user] = head
        }
        // Rows of a user mostly come one after the other: the user is removed from the table until the next user's
        // come.
        var current: StoredUser?
        for row in 0..<result.rowCount where try !LoadColumn.isHead(result, row) {
            let user = UserID(try result.uuid(row: row, column: LoadColumn.user))
            if current?.user != user {
                if let current { stored[current.user] = current }
                current = stored.removeValue(forKey: user)
            }
            try current?.append(result, row)
        }
        if let current { stored[current.user] = current }
        return stored
    }
}
