import EventStore
import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// The real `focusctl projections rebuild` beside a server with devices, killed at random moments, and the postmaster
/// under both of them.
@Suite("Rebuild crash", .fewAtATime) struct RebuildCrashTests {
    /// The number of rounds; `FOCUS_ROUNDS=50` for fifty.
    private static let rounds = ProcessInfo.processInfo.environment["FOCUS_ROUNDS"].flatMap(Int.init) ?? 2

    @Test(
        "Killed at random moments and resumed: the same rows as from an undisturbed rebuild, bit for bit",
        arguments: Seeds.fresh())
    func kills(seed: UInt64) async throws {
        print("FOCUS_SEED=\(seed) rounds=\(Self.rounds)")
        var random = SplitMix64(seed: seed)
        let server = try await FocusdProcess()
        let fleet = try await Fleet(server: server, devices: 6, users: 6)
        try await fleet.append(count: 60, round: 0)
        var resumed = 0
        // By chance every kill may miss the rebuild; then more rounds follow.
        for round in 1...Self.rounds + 10 where round <= Self.rounds || resumed == 0 {
            async let appended: Void = fleet.append(count: 60, round: round)
            var resumes = false
            var kills = Int.random(in: 1...4, using: &random)
            for attempt in 0... {
                try #require(attempt < 20, "the rebuild does not end, seed \(seed)")
                // With a low load while it is to be killed, so that it spends longer in each step.
                let child = try rebuild(server, resumes: resumes, load: kills > 0 ? 25 : 100)
                if kills > 0 {
                    kills -= 1
                    try await waitForWork(of: child, server)
                    // A random moment is what the test is about; nothing is waited for.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...1_500, using: &random)))
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        try server.killPostmaster()
                    } else {
                        child.signal(SIGKILL)
                    }
                }
                let code = await child.exitCode()
                let state = try await state(server)
                if code == 0 || state.isFinished && state.rebuilds == round * 2 - 1 {
                    #expect(state.kept == 2, "the old generation is there for a rollback")
                    break
                }
                resumes = !state.isFinished
                if resumes { resumed += 1 }
            }
            try await appended
            try await fleet.verify()
            try await expectAlike(server, round)
            if round % 10 == 0 { print("round \(round) of \(Self.rounds), \(resumed) times resumed") }
        }
        print("\(resumed) times resumed")
        #expect(resumed > 0, "no kill met a rebuild at work")
        await fleet.close()
        await server.remove()
    }

    /// Waits until a rebuild holds its lock or this one has ended: it had little to do, or PostgreSQL was not back yet.
    private func waitForWork(of child: ChildProcess, _ server: FocusdProcess) async throws {
        nonisolated(unsafe) let server = server
        try await onThread {
            let connection = try server.database()
            defer { connection.close() }
            let working = Statement(
                name: "test_working",
                sql: """
                    SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                    WHERE l.locktype = 'advisory' AND l.granted AND a.application_name = 'focusctl-projections-rebuild'
                    """)
            try eventually("a rebuild works or has ended") {
                try child.hasExited || connection.query(working).int8(row: 0, column: 0) > 0
            }
        }
    }

    private func rebuild(_ server: FocusdProcess, resumes: Bool, load: Int = 100) throws -> ChildProcess {
        try ChildProcess(
            FocusdProcess.binary("focusctl"),
            // A resumed rebuild knows that it keeps the old generation.
            ["projections", "rebuild"] + (resumes ? ["--resume"] : ["--all", "--keep-old"])
                + ["--json", "--max-load", "\(load)", "--data-dir", server.directory])
    }

    private struct Progress: Sendable {
        /// The number of rebuilds that have begun.
        var rebuilds: Int
        var isFinished: Bool
        /// The number of generations that have rows.
        var kept: Int64
    }

    private static let progress = Statement(
        name: "test_rebuilds",
        sql: """
            SELECT coalesce(max(g.generation), 1)::bigint - 1,
                coalesce(bool_and(r.finished_at IS NOT NULL) FILTER (WHERE g.dropped_at IS NULL), true),
                (SELECT count(*) FROM generations WHERE dropped_at IS NULL)
            FROM generations g LEFT JOIN rebuilds r USING (generation) WHERE g.generation > 1
            """)

    private func state(_ server: FocusdProcess) async throws -> Progress {
        // unsafe: only this test uses it, and waits meanwhile.
        nonisolated(unsafe) let server = server
        return try await onThread {
            let connection = try server.database()
            defer { connection.close() }
            let result = try connection.query(Self.progress)
            return Progress(
                rebuilds: Int(try result.int8(row: 0, column: 0)), isFinished: try result.bool(row: 0, column: 1),
                kept: try result.int8(row: 0, column: 2))
        }
    }

    /// After the projectors have caught up and while nobody appends, an undisturbed rebuild makes the same tables.
    private func expectAlike(_ server: FocusdProcess, _ round: Int) async throws {
        let (disturbed, undisturbed) = (round * 2, round * 2 + 1)
        nonisolated(unsafe) let running = server
        try await onThread {
            try Self.waitForProjection(running, disturbed)
            try Self.waitForLock(running)
        }
        let child = try rebuild(server, resumes: false)
        #expect(await child.exitCode() == 0)
        let differing = try await onThread { try Self.differing(running, disturbed, undisturbed) }
        #expect(differing == [], "round \(round)")
        // Kept generations would accumulate.
        let dropped = try ChildProcess(
            FocusdProcess.binary("focusctl"), ["projections", "drop-old", "--data-dir", server.directory])
        #expect(await dropped.exitCode() == 0)
    }

    /// Waits until the server has noticed that a killed rebuild is gone.
    private static func waitForLock(_ server: FocusdProcess) throws {
        let connection = try server.database()
        defer { connection.close() }
        let held = Statement(
            name: "test_held",
            sql: """
                SELECT count(*) FROM pg_stat_activity WHERE application_name = 'focusctl-projections-rebuild'
                """)
        try eventually("no rebuild holds its lock") { try connection.query(held).int8(row: 0, column: 0) == 0 }
    }

    private static func waitForProjection(_ server: FocusdProcess, _ generation: Int) throws {
        let connection = try server.database()
        defer { connection.close() }
        let lacking = Statement(
            name: "test_lag",
            sql: """
                SELECT count(*) FROM log_partitions p JOIN read_\(generation).checkpoints c USING (partition)
                WHERE c.log_offset < p.next_offset OR p.generation <> \(generation)
                """)
        try eventually("the read model has everything") {
            try connection.query(lacking).int8(row: 0, column: 0) == 0
        }
    }

    private static func differing(_ server: FocusdProcess, _ one: Int, _ other: Int) throws -> [String] {
        let connection = try server.database()
        defer { connection.close() }
        let tables = try connection.query(
            Statement(name: "test_tables", sql: "SELECT tablename::text FROM pg_tables WHERE schemaname = 'read_1'"))
        return try (0..<tables.rowCount).map { try tables.text(row: $0, column: 0) }.filter { table in
            // How large users are is an estimate, and a matter of how they came to be.
            let columns = table == "users" ? "partition, user_id, version, due_at" : "*"
            let (rows, others) = (
                "SELECT \(columns) FROM read_\(one).\(table)", "SELECT \(columns) FROM read_\(other).\(table)"
            )
            let sql = """
                SELECT (SELECT count(*) FROM (\(rows) EXCEPT \(others)) a)
                    + (SELECT count(*) FROM (\(others) EXCEPT \(rows)) b)
                """
            return try connection.query(Statement(name: "test_alike_\(table)", sql: sql)).int8(row: 0, column: 0) > 0
        }
    }
}
