import FocusCore
import PostgresClient

extension UserLoader {
    /// Has PostgreSQL plan the statements that load users and look them up, for each generation that these partitions
    /// show. The one is a union over every table, and takes a new connection some 10 ms that the first user would wait
    /// for.
    func prepare(_ partitions: [Partition], on connection: PostgresConnection) throws(PostgresError) {
        let heads = try LogReader().heads(of: partitions, on: connection)
        for generation in Set(heads.map(\.generation)) {
            _ = try connection.query(
                Generation(generation).statement(Queries.loadUsers),
                [.int4Array([]), .uuidArray([]), .int8(0), .int8(0), .int8(0), .int8(0)])
            _ = try connection.query(
                Generation(generation).statement(Queries.lookUpUsers),
                [.int4Array([]), .uuidArray([]), .int8(0), .int8(0)])
        }
    }
}

extension StoreConnection {
    /// Makes the first `load` of users of these partitions faster; it has no effect on what `load` returns.
    public func prepareToLoad(_ partitions: [Partition]) throws {
        try performOnPostgres { try UserLoader(rules: configuration.rules).prepare(partitions, on: $0) }
    }
}
