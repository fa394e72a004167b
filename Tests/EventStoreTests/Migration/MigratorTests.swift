import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Migrator")
struct MigratorTests {
    private let conninfo: String

    init() throws { conninfo = try TestCluster.shared.makeDatabase() }

    private func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
    }

    @Test("An empty database gets everything, once; the log keeps its identity and its partitions")
    func appliesOnce() throws {
        let connection = try connect()
        #expect(try Migrator.migrate(on: connection, partitions: 5) == Migrations.all)
        let identity = try LogIdentity.read(on: connection)
        #expect(identity.partitions == 5)
        #expect(try Migrator.migrate(on: connection, partitions: 9).isEmpty)
        #expect(try LogIdentity.read(on: connection) == identity)
        let heads = try LogReader().heads(of: identity.allPartitions, on: connection)
        #expect(heads.map(\.nextOffset) == Array(repeating: .zero, count: 5))
        #expect(try ProjectionWriter().checkpoints(of: identity.allPartitions, on: connection).count == 5)
    }

    @Test("A dry run says what would be applied and writes nothing")
    func dryRun() throws {
        let connection = try connect()
        #expect(try Migrator.migrate(on: connection, partitions: 4, dryRun: true) == Migrations.all)
        let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        #expect(try connection.integer(tables) == 0)
        _ = try Migrator([Migrations.all[0], Self.second]).applyAll(on: connection)
        #expect(try Migrator([Migrations.all[0], Self.second, Self.third]).pending(on: connection) == [Self.third])
    }

    @Test("A migration whose text was edited after it was applied is refused, and nothing changes")
    func changedChecksum() throws {
        let connection = try connect()
        _ = try Migrator([Migrations.all[0], Self.second]).applyAll(on: connection)
        let edited = Migration(number: 2, name: "second", sql: "SELECT 1", checksum: "other")
        #expect(throws: MigrationError.changed(edited)) {
            try Migrator([Migrations.all[0], edited, Self.third]).applyAll(on: connection)
        }
        #expect(try connection.integer("SELECT count(*) FROM schema_migrations") == 2)
    }

    @Test("A database that a newer program migrated is refused")
    func newerDatabase() throws {
        let connection = try connect()
        _ = try Migrator([Migrations.all[0], Self.second]).applyAll(on: connection)
        #expect(throws: MigrationError.databaseIsNewer(database: 2, program: 1)) {
            try Migrator([Migrations.all[0]]).pending(on: connection)
        }
    }

    @Test("A database that misses a migration in between is refused")
    func missingMigration() throws {
        let connection = try connect()
        _ = try Migrator([Migrations.all[0], Self.second]).applyAll(on: connection)
        try connection.execute("DELETE FROM schema_migrations WHERE number = 1")
        #expect(throws: MigrationError.missing(Migrations.all[0])) {
            try Migrator([Migrations.all[0], Self.second]).pending(on: connection)
        }
    }

    @Test("A migration that fails leaves no trace, and those before it stay")
    func failureRollsBack() throws {
        let connection = try connect()
        let bad = Migration(number: 3, name: "bad", sql: "CREATE TABLE half (); SELECT 1 / 0", checksum: "c")
        #expect(throws: PostgresError.self) {
            try Migrator([Migrations.all[0], Self.second, bad]).applyAll(on: connection)
        }
        #expect(try connection.integer("SELECT count(*) FROM schema_migrations") == 2)
        #expect(try connection.integer("SELECT count(*) FROM pg_class WHERE relname = 'half'") == 0)
    }

    @Test("Every function of the schema names where its tables are, so that no caller's search_path leads it elsewhere")
    func searchPaths() throws {
        let connection = try connect()
        _ = try Migrator.migrate(on: connection, partitions: 2)
        let functions = """
            SELECT count(*) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
                AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
            """
        #expect(try connection.integer(functions) > 5)
        #expect(
            try connection.integer(
                functions + " AND NOT coalesce(p.proconfig, '{}') && ARRAY['search_path=public, pg_temp']") == 0)
        // A caller whose own path begins with a schema of their own.
        try connection.execute(
            """
            CREATE SCHEMA elsewhere;
            CREATE TABLE elsewhere.generations (generation integer, dropped_at timestamptz, fold_version integer);
            SET search_path = elsewhere, public;
            SELECT create_generation(7, 1);
            """)
        #expect(try connection.integer("SELECT count(*) FROM elsewhere.generations") == 0)
        #expect(try connection.integer("SELECT count(*) FROM public.generations WHERE generation = 7") == 1)
    }

    /// Appends as an earlier program did, which knew no `last_event_id`.
    private func log(_ events: [LoggedEvent], on connection: PostgresConnection) throws {
        try connection.transaction { connection in
            let last = events[events.count - 1]
            let head = Statement(
                name: "test_move_head",
                sql: "UPDATE log_partitions SET next_offset = $2, last_recorded_at = $3 WHERE partition = $1")
            _ = try connection.query(
                head,
                [
                    .int4(last.partition.rawValue), .int8(last.offset.next.rawValue),
                    .timestamptz(microsecondsSince1970: last.recordedAt.microseconds),
                ])
            try connection.copyIn(Queries.copyEventsIn) { writer in
                for event in events { try writer.row(event.copyValues) }
            }
        }
    }

    @Test("A log that has events gets to know the last of each partition, also while an earlier program appends")
    func lastEvents() throws {
        let connection = try connect()
        let before = Array(Migrations.all.prefix { $0.name != "last_event" })
        _ = try Migrator(before).applyAll(on: connection)
        _ = try connection.query(
            Queries.initializeLog, [.int4(2), .text(EventStore.partitionHash), .int4(EventStore.logFormats.upperBound)])
        let history = try RandomHistory(
            seed: 8, users: 2, events: 60, without: RandomHistory.laterTypes)
        try log(Array(history.events.prefix(40)), on: connection)
        try Migrator.migrate(on: connection)
        let heads = { try LogReader().heads(of: [Partition(0), Partition(1)], on: connection) }
        #expect(try heads().map(\.anchor) == [history.events[39].anchor, nil])
        try log(Array(history.events.dropFirst(40)), on: connection)
        #expect(try heads().map(\.anchor) == [history.events[59].anchor, nil])
    }

    @Test("A read model of fold 1 is emptied; every user is then loaded from the events, as fold 2 folds them")
    func refold() throws {
        let connection = try connect()
        let before = Array(Migrations.all.prefix { $0.name != "refold" })
        #expect(before.count < Migrations.all.count)
        _ = try Migrator(before).applyAll(on: connection)
        _ = try connection.query(
            Queries.initializeLog, [.int4(1), .text(EventStore.partitionHash), .int4(EventStore.logFormats.upperBound)])
        _ = try connection.query(Queries.initializeGeneration, [.int4(1)])
        let history = try RandomHistory(
            seed: 7, users: 2, events: 60, without: RandomHistory.laterTypes)
        try log(history.events, on: connection)
        // A read model as fold 1 left it: a user marked complete, with a row that fold 2 would not make.
        let user = history.users[0]
        try connection.execute(
            """
            INSERT INTO read_1.users (partition, user_id, version) VALUES (0, '\(user)', 9);
            INSERT INTO read_1.badges (partition, user_id, app, key, version, deleted, value, memo)
            VALUES (0, '\(user)', 'a', '', 9, false, 'x', '');
            UPDATE read_1.checkpoints SET log_offset = 30
            """)
        try Migrator.migrate(on: connection, partitions: 1)
        #expect(try connection.integer("SELECT count(*) FROM read_1.users") == 0)
        #expect(try ProjectionWriter().checkpoints(of: [Partition(0)], on: connection) == [Partition(0): .zero])
        #expect(try connection.integer("SELECT fold_version FROM generations") == Int64(FocusCore.foldVersion))
        let loaded = try UserLoader().load([(Partition(0), user)], on: connection)[user]?.get()
        let expected = history.last(of: user)
        #expect(loaded?.state.version == expected.version)
        #expect(loaded?.state.rowKeys == expected.rowKeys)
    }

    @Test("P10: the format is raised when everything is applied, once and for good; the log stays what it is otherwise")
    func finish() throws {
        let connection = try connect()
        let before = Array(Migrations.all.prefix { $0.name != "incarnations" })
        #expect(before.count < Migrations.all.count)
        _ = try Migrator(before).applyAll(on: connection)
        _ = try connection.query(
            Queries.initializeLog, [.int4(4), .text(EventStore.partitionHash), .int4(EventStore.logFormats.lowerBound)])
        #expect(throws: MigrationError.notMigrated) { try Migrator.finish(on: connection) }
        try Migrator.migrate(on: connection)
        var identity = try LogIdentity.read(on: connection)
        #expect(identity.format == EventStore.logFormats.lowerBound && identity.partitions == 4)
        #expect(try Migrator.finish(on: connection) == EventStore.logFormats.upperBound)
        #expect(try Migrator.finish(on: connection) == nil)
        identity.format = EventStore.logFormats.upperBound
        #expect(try LogIdentity.read(on: connection) == identity)
        // A log that this program creates has the newest format from the start.
        let new = try PostgresConnection(PostgresConfiguration(conninfo: TestCluster.shared.makeDatabase()))
        try Migrator.migrate(on: new)
        #expect(try Migrator.finish(on: new) == nil)
    }

    @Test("Two migrators at once: one applies, the other finds nothing to do")
    func twoAtOnce() throws {
        let results = try inParallel(2) { [conninfo] _ in
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            return try Migrator.migrate(on: connection, partitions: 4).count
        }
        #expect(results.reduce(0, +) == Migrations.all.count)
    }

    @Test("A migrator that found an empty database, and waited while another one filled it, sees what is there now")
    func waitsWhileFilled() throws {
        let other = try connect()
        let run = try other.transaction { other in
            _ = try other.query(Queries.lockMigrations)
            let run = try MigratorRun { [conninfo] in
                let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
                defer { connection.close() }
                return try Migrator.migrate(on: connection)
            }
            let observer = try connect()
            try eventually("it waits for the lock") {
                try observer.integer(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'
                    """) == 1
            }
            guard case .transaction(let sql) = Migrations.all[0].script else { throw MigrationError.notMigrated }
            try other.execute(Queries.createMigrations.sql)
            try other.execute(sql)
            try Migrator().record(Migrations.all[0], on: other)
            return run
        }
        #expect(try run.result() == Array(Migrations.all.dropFirst()))
    }

    @Test("The role that the server works as may be made by somebody else; without it the error says how")
    func roleNotAllowed() throws {
        let connection = try connect()
        let user = "plain_\(UInt32.random(in: 0 ... .max))"
        let name = try connection.query(Statement(name: "db", sql: "SELECT current_database()"))
        let database = try name.text(row: 0, column: 0)
        try connection.execute("CREATE ROLE \(user); ALTER DATABASE \(database) OWNER TO \(user); SET ROLE \(user)")
        #expect(throws: MigrationError.roleNotAllowed(role: "focusd_app_\(database)")) {
            try Migrator.migrate(on: connection)
        }
        try connection.execute(
            "RESET ROLE; CREATE ROLE focusd_app_\(database); GRANT focusd_app_\(database) TO \(user); SET ROLE \(user)")
        try Migrator.migrate(on: connection)
        #expect(try LogIdentity.read(on: connection).partitions == 16)
    }

    private static let second = Migration(number: 2, name: "second", sql: "CREATE TABLE two ()", checksum: "b")
    private static let third = Migration(number: 3, name: "third", sql: "CREATE TABLE three ()", checksum: "c")
}
