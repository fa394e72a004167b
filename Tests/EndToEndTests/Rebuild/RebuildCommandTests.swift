import Foundation
import PostgresClient
import Testing

@Suite("focusctl projections rebuild", .fewAtATime) struct RebuildCommandTests {
    private let rebuild = ["projections", "rebuild", "--max-load", "100", "--json"]
    private let rollback = ["projections", "rollback", "--json"]
    private static let kept = "SELECT count(*) FROM generations WHERE dropped_at IS NULL"

    /// The state after a kill when everything but the last line was done.
    private func interrupt(_ log: GeneratedDatabase) async throws {
        try await execute(
            "UPDATE rebuilds SET finished_at = NULL WHERE generation = (SELECT max(generation) FROM log_partitions)",
            log)
    }

    private func execute(_ sql: String, _ log: GeneratedDatabase) async throws {
        let conninfo = log.conninfo
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try connection.execute(sql)
        }
    }

    @Test("Resumed without --keep-old, a rebuild that was begun with it and a rollback keep the old generation")
    func keepsOld() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        // The server's role is named for its database, so the copy needs one of its own.
        #expect(try await log.run(["migrate"]).exitCode == 0)
        #expect(try await log.run(rebuild + ["--all", "--keep-old"]).exitCode == 0)
        try await interrupt(log)
        let resumed = try await log.run(rebuild + ["--resume"])
        #expect(resumed.exitCode == 0)
        #expect(try (resumed.json()["dropped"] as? [Int])?.isEmpty == true)
        #expect(try await log.run(rollback).json()["generation"] as? Int == 1)
        try await interrupt(log)
        #expect(try await log.run(rebuild + ["--resume"]).exitCode == 0)
        #expect(try await log.integer(Self.kept) == 2)
    }

    @Test("Resumed with --keep-old, also a rebuild that was begun without it keeps the old generation")
    func keepsOldLater() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        // The server's role is named for its database, so the copy needs one of its own.
        #expect(try await log.run(["migrate"]).exitCode == 0)
        #expect(try await log.run(rebuild + ["--all", "--keep-old"]).exitCode == 0)
        try await interrupt(log)
        try await execute("UPDATE rebuilds SET keeps_old = false", log)
        #expect(try await log.run(rebuild + ["--resume", "--keep-old"]).exitCode == 0)
        #expect(try await log.integer(Self.kept) == 2)
        // A resumed rebuild that was killed once more must still keep it.
        try await interrupt(log)
        #expect(try await log.run(rebuild + ["--resume"]).exitCode == 0)
        #expect(try await log.integer(Self.kept) == 2)
        #expect(try await log.run(rebuild + ["--all"]).json()["dropped"] as? [Int] == [1, 2])
    }
}
