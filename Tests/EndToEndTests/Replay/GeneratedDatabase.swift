import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support

/// A database with a generated log, and `focusctl` on it.
struct GeneratedDatabase: Sendable {
    static let plan = LogPlan(events: 3_000, users: 10, seed: 9)

    let conninfo: String
    let directory: String

    init(_ plan: LogPlan = plan) async throws {
        (conninfo, directory) = try await onThread {
            let conninfo = try TestCluster.shared.makeDatabase(from: "generated_\(plan.events)_\(plan.seed)") {
                try Self.fill($0, plan)
            }
            return (conninfo, try TestDirectory.make())
        }
    }

    static func fill(_ conninfo: String, _ plan: LogPlan) throws {
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        try Migrator.migrate(on: connection, partitions: 4)
        connection.close()
        let store = StoreConfiguration(PostgresConfiguration(conninfo: conninfo), assumesRole: false)
        try LogGenerator(plan, into: store).run(threads: 2, appends: false)
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            FocusdProcess.binary("focusctl"), arguments + ["--database", conninfo], environment: environment,
            input: "/dev/null")
    }

    /// Runs a command to its end.
    func run(_ arguments: [String]) async throws -> FocusctlCommands.Result {
        let child = try start(arguments)
        let output = await child.rest()
        return FocusctlCommands.Result(exitCode: await child.exitCode(), output: output)
    }

    /// Runs a command to its end. Returns its exit code, and what it said on standard error.
    func complaint(_ arguments: [String]) async throws -> (code: Int32?, text: String) {
        let errors = "\(directory)/errors-\(UUID())"
        let child = try ChildProcess(
            FocusdProcess.binary("focusctl"), arguments + ["--database", conninfo], input: "/dev/null", errors: errors)
        _ = await child.rest()
        return (await child.exitCode(), try String(contentsOfFile: errors, encoding: .utf8))
    }

    /// All events in the order of the merged stream.
    func events(_ filter: ReplayFilter = ReplayFilter()) async throws -> [LoggedEvent] {
        let conninfo = conninfo
        return try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let log = try LogIdentity.read(on: connection)
            let ranges = try LogReader().heads(of: log.allPartitions, on: connection).map {
                PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset)
            }
            var events: [LoggedEvent] = []
            try LogReplay(
                StoreConfiguration(PostgresConfiguration(conninfo: conninfo), assumesRole: false), filter: filter
            ).run(ranges) { events.append($0) }
            return events.sorted { ($0.recordedAt, $0.partition, $0.offset) < ($1.recordedAt, $1.partition, $1.offset) }
        }
    }

    /// Waits until a query returns this integer.
    func wait(_ what: String, for sql: String, _ number: Int64) async throws {
        let conninfo = conninfo
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let statement = Statement(name: "test", sql: sql)
            try eventually(what) { try connection.query(statement).int8(row: 0, column: 0) == number }
        }
    }

    /// Runs statements.
    func execute(_ sql: String) async throws {
        let conninfo = conninfo
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try connection.execute(sql)
        }
    }

    /// The single integer that a query returns.
    func integer(_ sql: String) async throws -> Int64 {
        let conninfo = conninfo
        return try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            return try connection.query(Statement(name: "test", sql: sql)).int8(row: 0, column: 0)
        }
    }
}
