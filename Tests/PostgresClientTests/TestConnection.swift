import PostgresClient
import Support

/// A connection to a new database that only this test uses.
func makeConnection(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> PostgresConnection {
    var configuration = PostgresConfiguration(conninfo: try TestCluster.shared.makeDatabase())
    change(&configuration)
    return try PostgresConnection(configuration)
}

extension PostgresConnection {
    /// A second connection to the same database.
    func sibling(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> PostgresConnection {
        var other = configuration
        change(&other)
        return try PostgresConnection(other)
    }

    func count(_ table: String) throws -> Int64 { try run("SELECT count(*) FROM \(table)").int8(row: 0, column: 0) }
}

/// Returns the error that `body` throws; the test fails if it throws none.
func error(_ body: () throws -> Void) throws -> PostgresError {
    do {
        try body()
    } catch let error as PostgresError {
        return error
    }
    throw NeverHappened(description: "no error was thrown")
}
