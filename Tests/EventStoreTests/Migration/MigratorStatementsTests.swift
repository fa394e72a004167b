import FocusCore
import Foundation
import PostgresClient
import Support
import Synchronization
import Testing

@testable import EventStore

/// Migrations outside of a transaction. A transaction of somebody else that has written to the table keeps the build of
/// an index waiting for as long as a test wants.
@Suite("Migrator, outside of a transaction")
struct MigratorStatementsTests {
    private static let index = "events_by_type"
    private static let build = Migration(
        number: Migrations.all.count + 1, name: "events_by_type",
        statements: [
            "DROP INDEX CONCURRENTLY IF EXISTS events_by_type",
            "CREATE INDEX CONCURRENTLY events_by_type ON events (partition, type, log_offset)",
        ], checksum: "i")
    private static let after = Migration(
        number: Migrations.all.count + 2, name: "after", sql: "CREATE TABLE after_it ()", checksum: "a")

    private let fixture: StoreFixture
    private let owner: PostgresConnection
    /// The writer whose transaction is open.
    private let other: PostgresConnection

    init() throws {
        fixture = try StoreFixture()
        owner = try fixture.owner()
        other = try fixture.owner()
    }

    /// Begins a transaction that writes to `events`: no index on it is finished before that ends.
    private func beginWriting() throws {
        try other.execute("BEGIN; LOCK TABLE events IN ROW EXCLUSIVE MODE")
    }

    private func isValid() throws -> Bool? {
        let result = try owner.query(
            Statement(
                name: "test_is_valid",
                sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('events_by_type')"))
        return result.rowCount == 0 ? nil : try result.bool(row: 0, column: 0)
    }

    private func recorded() throws -> Int64 { try owner.integer("SELECT max(number)::bigint FROM schema_migrations") }

    private static func migrator(_ told: Told = Told()) -> Migrator {
        Migrator(Migrations.all + [build, after], lastRelease: .max) { told.add($0) }
    }

    @Test("An index is built while appends go on, and recorded when it is finished; what is under way is told")
    func appendsGoOn() throws {
        try beginWriting()
        let told = Told()
        let run = try MigratorRun { [fixture] in
            let connection = try fixture.owner()
            defer { connection.close() }
            return try Self.migrator(told).applyAll(on: connection)
        }
        try eventually("the build waits for the writer") { told.phases.contains { $0.hasPrefix("waiting for") } }
        // Each append commits while the build waits: were it to wait for a lock, this test would not end.
        let writer = try fixture.connection()
        for offset in Int64(0)..<20 {
            let head = try #require(try LogReader().heads(of: [Partition(0)], on: writer).first)
            let event = LoggedEvent.any(user: UserID(UUID()), version: 1, offset: offset)
            let outcome = try LogWriter().append([PartitionAppend(behind: head, events: [event])], on: writer)
            #expect(outcome == [Partition(0): .committed(generation: 1)])
        }
        #expect(try recorded() == Int64(Migrations.all.count))
        #expect(try isValid() == false)
        try other.execute("COMMIT")
        #expect(try run.result() == [Self.build, Self.after])
        #expect(try isValid() == true)
        #expect(try recorded() == Int64(Migrations.all.count + 2))
        #expect(
            told.steps == [
                .statement(Self.build, number: 1, of: 2), .statement(Self.build, number: 2, of: 2),
                .applied(Self.build), .applied(Self.after),
            ])
    }

    @Test(
        "A build that is cut off, and a drop after that, leave an invalid index and no record: the next builds it again"
    )
    func cutOff() throws {
        for _ in 0..<2 {
            try beginWriting()
            let told = Told()
            let run = try MigratorRun { [fixture] in
                let connection = try fixture.owner()
                told.session.withLock { $0 = connection.backendPID }
                return try Self.migrator(told).applyAll(on: connection)
            }
            try eventually("it waits for the writer") {
                let session = told.session.withLock { $0 }
                return try owner.integer(
                    "SELECT count(*) FROM pg_stat_activity WHERE pid = \(session) AND wait_event_type = 'Lock'") == 1
            }
            let session = told.session.withLock { $0 }
            _ = try owner.integer("SELECT pg_terminate_backend(\(session))::int::bigint")
            #expect(throws: PostgresError.self) { try run.result() }
            try other.execute("COMMIT")
            try eventually("the session has ended") {
                try owner.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(session)") == 0
            }
            #expect(try isValid() == false)
            #expect(try recorded() == Int64(Migrations.all.count))
        }
        #expect(try Self.migrator().applyAll(on: owner) == [Self.build, Self.after])
        #expect(try isValid() == true)
        #expect(try Self.migrator().applyAll(on: owner) == [])
    }

    @Test("A migration that is cut off before it is recorded is done again")
    func cutOffBeforeRecord() throws {
        guard case .statements(let statements) = Self.build.script else { return }
        for statement in statements { try owner.execute(statement) }
        #expect(try Self.migrator().applyAll(on: owner) == [Self.build, Self.after])
        #expect(try isValid() == true)
    }

    @Test("A statement that fails is not recorded, and frees the next migrator's way; those before it stay")
    func failure() throws {
        let bad = Migration(
            number: Migrations.all.count + 1, name: "bad",
            statements: ["CREATE TABLE IF NOT EXISTS half ()", "SELECT 1 / 0"], checksum: "b")
        for _ in 0..<2 {
            #expect(throws: PostgresError.self) {
                try Migrator(Migrations.all + [bad], lastRelease: .max).applyAll(on: owner)
            }
        }
        #expect(try owner.integer("SELECT count(*) FROM pg_class WHERE relname = 'half'") == 1)
        #expect(try recorded() == Int64(Migrations.all.count))
        let connection = try fixture.owner()
        #expect(try Self.migrator().applyAll(on: connection) == [Self.build, Self.after])
    }

    @Test("Two migrators take turns: the second waits without a snapshot, so the build ends, and finds nothing to do")
    func twoAtOnce() throws {
        try beginWriting()
        let told = [Told(), Told()]
        let runs = try told.map { told in
            try MigratorRun { [fixture] in
                let connection = try fixture.owner()
                defer { connection.close() }
                return try Self.migrator(told).applyAll(on: connection)
            }
        }
        try eventually("one builds and the other waits") {
            told.contains { $0.steps == [.waiting(Self.build)] } && told.contains { !$0.phases.isEmpty }
        }
        // An earlier program, which does not know this migration, starts and need not wait.
        #expect(try Migrator.migrate(on: owner).isEmpty)
        try other.execute("COMMIT")
        let applied = try runs.map { try $0.result() }
        #expect(applied.flatMap { $0 }.filter { $0 == Self.build }.count == 1)
        #expect(applied.flatMap { $0 }.filter { $0 == Self.after }.count == 1)
        #expect(try isValid() == true)
    }

    @Test("Through a pooler in transaction mode it is refused, and says what to do")
    func pooled() throws {
        var configuration = PostgresConfiguration(conninfo: fixture.conninfo)
        configuration.usesPreparedStatements = false
        let connection = try PostgresConnection(configuration)
        #expect(throws: MigrationError.needsSession(Self.build)) { try Self.migrator().applyAll(on: connection) }
        #expect(MigrationError.needsSession(Self.build).description.contains("focusctl migrate --database"))
        #expect(try isValid() == nil)
    }

    @Test("A file says in its first line that it runs outside of a transaction; each statement ends with its line")
    func embedded() throws {
        let output = try embed(
            """
            -- no-transaction
            -- Why.
            DROP INDEX CONCURRENTLY IF EXISTS by_type;
            -- More.
            CREATE INDEX CONCURRENTLY by_type
                ON events (partition, type);

            ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'x';

            """)
        #expect(output.errors == "")
        let indent = String(repeating: " ", count: 16)
        let statements = [
            "DROP INDEX CONCURRENTLY IF EXISTS by_type",
            "CREATE INDEX CONCURRENTLY by_type\n\(indent)    ON events (partition, type)",
            "ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'x'",
        ].map { "#\"\"\"\n\(indent)\($0)\n\(indent)\"\"\"#" }
        #expect(output.swift.contains("statements: [\(statements.joined(separator: ", "))],"))
    }

    @Test(
        "A file that could not be repeated, or cannot be cut into statements, is refused",
        arguments: [
            "CREATE INDEX CONCURRENTLY a ON events (type);",
            "-- no-transaction\nCREATE INDEX CONCURRENTLY a ON events (type);",
            "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS b;\nCREATE INDEX CONCURRENTLY a ON events (type);",
            "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS a;\nCREATE INDEX CONCURRENTLY a ON read.b (type);",
            "-- no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a ON events (type);",
            "-- no-transaction\ncreate unique index concurrently a ON events (type);",
            "-- no-transaction\nSELECT 1; SELECT 2;",
            "-- no-transaction\nDO $$ BEGIN NULL; END $$;",
            "-- no-transaction\nSELECT 1",
        ])
    func refused(_ text: String) throws {
        let output = try embed(text + "\n")
        #expect(output.errors.contains("0001_try.sql"))
        #expect(output.swift == "")
    }

    /// What `ops/generate-sql.py` makes of a migration, and what it says of it.
    private func embed(_ migration: String) throws -> (swift: String, errors: String) {
        let root = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(
            atPath: "\(root)/Schema/migrations", withIntermediateDirectories: true)
        try migration.write(toFile: "\(root)/Schema/migrations/0001_try.sql", atomically: true, encoding: .utf8)
        let said = try Checkout.run(["python3", "ops/generate-sql.py", "--root", root]).errors
        let target = "\(root)/Sources/EventStore/Generated/Migrations.swift"
        let swift = FileManager.default.contents(atPath: target).map { String(decoding: $0, as: UTF8.self) }
        return (swift ?? "", said)
    }
}

/// What a migrator reported.
private final class Told: Sendable {
    private let all = Mutex<[MigrationProgress]>([])
    /// The process that serves the migrator's session.
    let session = Mutex<Int32>(0)

    func add(_ progress: MigrationProgress) { all.withLock { $0.append(progress) } }

    /// What PostgreSQL said of the build.
    var phases: [String] {
        all.withLock { all in
            all.compactMap { if case .building(_, let phase, _) = $0 { phase } else { nil } }
        }
    }

    /// Everything else.
    var steps: [MigrationProgress] {
        all.withLock { all in all.filter { if case .building = $0 { false } else { true } } }
    }
}

/// A migrator on a thread of its own.
final class MigratorRun: Sendable {
    private let thread: PostgresThread
    private let value: ResultBox

    init(_ body: @escaping @Sendable () throws -> [Migration]) throws {
        let value = ResultBox()
        self.value = value
        thread = try PostgresThread(name: "migrator") { value.put(Result { try body() }) }
    }

    func result() throws -> [Migration] {
        thread.join()
        return try #require(value.get()).get()
    }
}

private final class ResultBox: Sendable {
    private let value = Mutex<Result<[Migration], any Error>?>(nil)

    func put(_ result: Result<[Migration], any Error>) { value.withLock { $0 = result } }
    func get() -> Result<[Migration], any Error>? { value.withLock { $0 } }
}
