import Foundation
import PostgresClient
import Support
import Synchronization
import Testing

@Suite struct PostgresPoolTests {
    private func makePool(size: Int, waitingLimit: Int = 1024) throws -> PostgresPool {
        let configuration = PostgresConfiguration(conninfo: try TestCluster.shared.makeDatabase())
        return try PostgresPool(configuration: configuration, size: size, waitingLimit: waitingLimit)
    }

    @Test("many requests share a bounded number of connections")
    func bounded() async throws {
        let pool = try makePool(size: 3)
        let pids = try await withThrowingTaskGroup(of: Int32.self) { group in
            for index in Int32(0)..<60 {
                group.addTask {
                    try await pool.run { connection in
                        let row = try connection.run("SELECT $1 * 2, pg_backend_pid()", .int4(index))
                        #expect(try row.int4(row: 0, column: 0) == index * 2)
                        return try row.int4(row: 0, column: 1)
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect((1...3).contains(pids.count))
        await pool.shutdown()
    }

    @Test("a request beyond the waiting limit is refused at once")
    func full() async throws {
        let pool = try makePool(size: 1, waitingLimit: 2)
        let gate = Gate()
        let blocker = Task { try await pool.run { _ in gate.wait() } }
        try await gate.entered()
        let waiting = (0..<2).map { _ in Task { try await pool.run { _ in } } }
        try await awaiting("both wait") { pool.waitingCount == 2 }
        await #expect { try await pool.run { _ in } } throws: { ($0 as? PostgresError)?.kind == .poolUnavailable }
        gate.open()
        try await blocker.value
        for task in waiting { try await task.value }
        await pool.shutdown()
    }

    @Test("a cancelled task takes its waiting request back")
    func cancelled() async throws {
        let pool = try makePool(size: 1)
        let gate = Gate()
        let blocker = Task { try await pool.run { _ in gate.wait() } }
        try await gate.entered()
        let waiting = Task { try await pool.run { _ in Issue.record("it ran") } }
        try await awaiting("it waits") { pool.waitingCount == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(pool.waitingCount == 0)
        gate.open()
        try await blocker.value
        await pool.shutdown()
    }

    @Test("a connection that died is replaced, whether it died idle or in use")
    func reconnects() async throws {
        let pool = try makePool(size: 1)
        let suicide = "SELECT pg_terminate_backend(pg_backend_pid())"
        await #expect { try await pool.run { _ = try $0.run(suicide) } } throws: {
            ($0 as? PostgresError)?.kind == .connectionLost
        }
        let pid = try await pool.run { $0.backendPID }
        let killer = try PostgresConnection(PostgresConfiguration(conninfo: TestCluster.shared.conninfo()))
        try killer.run("SELECT pg_terminate_backend($1, 60000)", .int4(pid))
        let rows = try await pool.run { try $0.run("SELECT 1").rowCount }
        #expect(rows == 1)
        await pool.shutdown()
    }

    @Test("a transaction left open does not leak into the next request")
    func openTransaction() async throws {
        let pool = try makePool(size: 1)
        try await pool.run { try $0.execute("CREATE TABLE t (a int4); BEGIN; INSERT INTO t VALUES (1)") }
        let (count, isIdle) = try await pool.run { (try $0.count("pg_class WHERE relname = 't'"), $0.isIdle) }
        #expect(isIdle)
        #expect(count == 0)
        await pool.shutdown()
    }

    @Test("a server that is not there is tried again with backoff, for as long as the patience lasts")
    func patience() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let waits = Recorder<Int>()
        let backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(10)) {
            waits.add(1)
            return 1
        }
        // No server is at this path yet; the test later links the path to the directory of a real server's socket.
        let configuration = PostgresConfiguration(
            conninfo: "host=\(directory)/socket port=5432 user=focusd dbname=focusd connect_timeout=60")
        let patient = try PostgresPool(
            configuration: configuration, size: 1, connectPatience: .seconds(600), backoff: backoff)
        let waiting = Task { try await patient.run { try $0.run("SELECT 1").rowCount } }
        try await awaiting("it has tried again and again") { waits.values.count >= 3 }
        let socket = String(TestCluster.shared.conninfo().split(separator: "'")[1])
        try FileManager.default.createSymbolicLink(atPath: directory + "/socket", withDestinationPath: socket)
        #expect(try await waiting.value == 1)
        await patient.shutdown()
        let impatient = try PostgresPool(
            configuration: PostgresConfiguration(conninfo: "host=/nonexistent"), size: 1,
            connectPatience: .milliseconds(50), backoff: backoff)
        await #expect { try await impatient.run { _ in } } throws: {
            ($0 as? PostgresError)?.kind == .cannotConnect
        }
        await impatient.shutdown()
    }

    @Test("shutdown finishes what waits, refuses the rest, and ends the threads; without it they end too")
    func shutdown() async throws {
        let pool = try makePool(size: 1)
        let gate = Gate()
        let running = Task { try await pool.run { _ in gate.wait() } }
        try await gate.entered()
        let waiting = Task { try await pool.run { try $0.run("SELECT 1").rowCount } }
        try await awaiting("it waits") { pool.waitingCount == 1 }
        let ending = Task { await pool.shutdown() }
        gate.open()
        await ending.value
        try await running.value
        #expect(try await waiting.value == 1)
        await #expect { try await pool.run { _ in } } throws: { ($0 as? PostgresError)?.kind == .poolUnavailable }
        _ = try makePool(size: 2)
    }
}

/// Holds a thread of the pool until the test releases it.
// @unchecked: the flags are accessed only under `condition`.
final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false
    private var isEntered = false

    func wait() {
        condition.withLock {
            isEntered = true
            let limit = Date(timeIntervalSinceNow: 180)
            while !isOpen, condition.wait(until: limit) {}
        }
    }

    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    func entered() async throws {
        try await awaiting("a thread of the pool is held") { condition.withLock { isEntered } }
    }
}
