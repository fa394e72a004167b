import EventStore
import FocusCore
import PostgresClient

extension UserSurvey {
    /// Calls `body` with every user of the log.
    /// - Parameter showsProgress: whether standard error says how many are done: not while `body` writes lines.
    func forEach(
        _ heads: [PartitionHead], showsProgress: Bool, on connection: PostgresConnection,
        _ body: (Partition, UserID) throws -> Void
    ) throws {
        guard showsProgress else { return try forEach(heads, on: connection, body) }
        var (count, done) = (0, 0)
        try forEach(heads, on: connection) { _, _ in count += 1 }
        let display = SharedProgress(total: count, of: "users")
        defer { display.clear() }
        try forEach(heads, on: connection) { partition, user in
            try body(partition, user)
            done += 1
            display.show(done)
        }
    }
}
