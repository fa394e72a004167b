import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

/// Runs the code blocks of Schema/RECIPES.md as they are.
@Suite("Recipes", .fewAtATime) struct RecipeTests {

    /// The block that begins with "```sh name".
    private static func recipe(_ name: String) throws -> String {
        let text = try String(contentsOf: Checkout.file("Schema/RECIPES.md"), encoding: .utf8)
        let block = try #require(text.components(separatedBy: "```sh \(name)\n").dropFirst().first)
        return try #require(block.components(separatedBy: "\n```").first)
    }

    /// Runs a recipe in a directory; returns its standard output.
    private static func run(_ name: String, in directory: String, _ settings: [String: String]) async throws -> String {
        let tools = URL(filePath: FocusdProcess.binary("focusctl")).deletingLastPathComponent().path
        let python = try await pythonDirectory()
        var environment = settings
        environment["PATH"] = "\(python)/bin:\(tools):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        let script = "set -euo pipefail\ncd '\(directory)'\n\(try recipe(name))"
        let child = try ChildProcess("/bin/bash", ["-c", script], environment: environment, input: "/dev/null")
        let output = await child.rest()
        try #require(await child.exitCode() == 0, "recipe \(name): \(output)")
        return output
    }

    /// The directory with duckdb, pandas and pyarrow. On a machine that cannot install them these tests fail; they are
    /// not skipped.
    private static func pythonDirectory() async throws -> String {
        let child = try ChildProcess(Checkout.file("ops/lib/recipes.sh").path, [], input: "/dev/null")
        let output = await child.rest()
        try #require(await child.exitCode() == 0, "ops/lib/recipes.sh failed; it says why on standard error")
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("DuckDB and pandas count what the log holds")
    func python() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let events = try await log.events()
        let duckdb = try await Self.run("duckdb", in: log.directory, ["DATABASE": log.conninfo])
        let posts = events.count { $0.type == "notification.posted" }
        let counted = duckdb.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counted.count > 3 && counted.reduce(0, +) == posts)
        let pandas = try await Self.run("pandas", in: log.directory, ["DATABASE": log.conninfo])
        let sums = pandas.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(sums.contains(["notification.posted", "\(posts)"]))
        #expect(sums.contains(["notification.read", "\(events.count { $0.type == "notification.read" })"]))
    }

    @Test("Parquet has a directory for each month, and the Arrow file has every event with its column's type")
    func parquet() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let months = Dictionary(grouping: try await log.events()) { String($0.recordedAt.rfc3339.prefix(7)) }
        let lines = try await Self.run("parquet", in: log.directory, ["DATABASE": log.conninfo])
            .split(separator: "\n").map(String.init)
        for column in ["log_offset int64", "event_id fixed_size_binary[16]", "recorded_at timestamp[us, tz=UTC]"] {
            #expect(lines.contains(column), "\(column)")
        }
        let counts = months.keys.sorted().map { "\($0) \(months[$0]?.count ?? 0)" }
        #expect(Array(lines.suffix(months.count)) == counts)
        #expect(months.count > 2)
        for month in months.keys {
            #expect(FileManager.default.fileExists(atPath: "\(log.directory)/events/month=\(month)"), "\(month)")
        }
    }

    @Test("psql keeps a copy of the log that is the log, also after more was added while the copy could not be written")
    func psql() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let analyst = try await onThread { try TestCluster.shared.makeDatabase() }
        let settings = ["DATABASE": log.conninfo, "ANALYST": analyst]
        _ = try await Self.run("psql", in: log.directory, settings)
        var later = LogPlan(events: 60, users: 2, seed: 99)
        later.start = later.start.adding(microseconds: 100 * 86_400_000_000)
        let (plan, conninfo) = (later, log.conninfo)
        try await onThread {
            try LogGenerator(
                plan, into: StoreConfiguration(PostgresConfiguration(conninfo: conninfo), assumesRole: false)
            ).run(threads: 1, appends: true)
        }
        try await Self.execute("ALTER TABLE events ADD CONSTRAINT shut CHECK (false) NOT VALID", analyst)
        _ = try await Self.run("psql", in: log.directory, settings)
        try await Self.execute("ALTER TABLE events DROP CONSTRAINT shut", analyst)
        // The state after a crash between the commit of the copy and the move of the file.
        let position = "\(log.directory)/copy.position"
        let before = try String(contentsOfFile: position, encoding: .utf8)
        _ = try await Self.run("psql", in: log.directory, settings)
        #expect(try String(contentsOfFile: position, encoding: .utf8) != before)
        try before.write(toFile: position, atomically: true, encoding: .utf8)
        let output = try await Self.run("psql", in: log.directory, settings)
        let events = try await log.events()
        let counts = Dictionary(grouping: events, by: \.type).mapValues(\.count)
        for (type, count) in counts { #expect(output.split(separator: "\n").contains("\(type)|\(count)")) }
        let sum = "SELECT md5(string_agg(md5(e::text), '' ORDER BY partition, log_offset)) FROM (SELECT "
        let columns =
            "partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, "
            + "type::text, app_id, occurred_at, recorded_at, schema_version, encoding, payload FROM events) e"
        let digests = try await onThread {
            try [conninfo, analyst].map { conninfo in
                let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
                defer { connection.close() }
                return try connection.query(Statement(name: "digest", sql: sum + columns)).text(row: 0, column: 0)
            }
        }
        #expect(digests[0] == digests[1])
    }

    private static func execute(_ sql: String, _ conninfo: String) async throws {
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try connection.execute(sql)
        }
    }

    @Test("Logical replication gives every event that is appended after the slot was made")
    func logical() async throws {
        let directory = try TestDirectory.make()
        let cluster = try await onThread {
            var settings = EmbeddedClusterSettings()
            settings.isDurable = false
            settings.overrides = ["wal_level": "logical", "max_wal_senders": "4", "max_replication_slots": "4"]
            return try EmbeddedCluster.start(dataDirectory: directory, settings: settings)
        }
        defer {
            try? cluster.stop()
            try? FileManager.default.removeItem(atPath: directory)
        }
        let conninfo = cluster.conninfo
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try Migrator.migrate(on: connection, partitions: 4)
        }
        let work = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: work) }
        _ = try await Self.run("logical", in: work, ["DATABASE": conninfo])
        let ids = try await onThread {
            let store = StoreConfiguration(PostgresConfiguration(conninfo: conninfo), assumesRole: false)
            try LogGenerator(LogPlan(events: 300, users: 3, seed: 4), into: store).run(threads: 2, appends: false)
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let heads = try LogReader().heads(of: (0..<4).map { Partition($0) }, on: connection)
            var ids: [String] = []
            try LogReplay(store).run(
                heads.map { PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset) }
            ) { ids.append($0.id.description) }
            return ids
        }
        _ = try await Self.run("logical-read", in: work, ["DATABASE": conninfo])
        let bytes = try Data(contentsOf: URL(filePath: "\(work)/events.pgoutput"))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(ids.count == 300 && ids.allSatisfy { text.contains($0) })
    }
}
