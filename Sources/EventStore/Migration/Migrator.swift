import FocusCore
import PostgresClient

/// Brings a database to the schema that this program knows.
///
/// A migration runs in one transaction, which also records it. If it fails, the database is as the migration before
/// left it. A migration with statements that PostgreSQL refuses in a transaction runs them one by one, and is recorded
/// after the last (`Migrator+Statements`). When several programs migrate the same database at once, one does the work:
/// the others wait for it and find nothing left to do.
public struct Migrator: Sendable {
    /// In order of their numbers, from 1, without gaps.
    let migrations: [Migration]
    /// Called on any thread, one call at a time.
    let report: @Sendable (MigrationProgress) -> Void

    init(
        _ migrations: [Migration] = Migrations.all, report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) {
        self.migrations = migrations
        self.report = report
    }

    /// Applies what is missing, sees that the server's role has its grants, and gives a new log its identity.
    ///
    /// The connection's role must own the tables and must be allowed to create roles, unless the role exists already.
    /// - Parameters:
    ///   - partitions: P of a new log; a log that exists keeps its own.
    ///   - dryRun: change nothing at all, only say what would be applied.
    ///   - report: called on any thread, one call at a time.
    /// - Returns: the migrations that were (or would be) applied.
    /// - Throws: `MigrationError` when the database is not for this program; `PostgresError`.
    @discardableResult
    public static func migrate(
        on connection: PostgresConnection, partitions: Int32 = 16, dryRun: Bool = false,
        report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) throws -> [Migration] {
        let migrator = Migrator(report: report)
        if dryRun { return try migrator.pending(on: connection) }
        return try migrator.apply(on: connection, partitions: partitions)
    }

    /// The migrations that this database has not seen yet. Writes nothing. Throws `MigrationError` when the database is
    /// not for this program.
    func pending(on connection: PostgresConnection) throws -> [Migration] {
        let database = try connection.query(Queries.describeDatabase)
        let encoding = try database.text(row: 0, column: 1)
        guard encoding == "UTF8" else { throw MigrationError.notUTF8(encoding: encoding) }
        guard try database.bool(row: 0, column: 0) else { return migrations }
        let result = try connection.query(Queries.readMigrations)
        var seen: [Int: String] = [:]
        for row in 0..<result.rowCount {
            seen[Int(try result.int4(row: row, column: 0))] = try result.text(row: row, column: 2)
        }
        let newest = seen.keys.max() ?? 0
        guard newest <= migrations.count else {
            throw MigrationError.databaseIsNewer(database: newest, program: migrations.count)
        }
        for migration in migrations.prefix(newest) {
            guard let checksum = seen[migration.number] else { throw MigrationError.missing(migration) }
            guard checksum == migration.checksum else { throw MigrationError.changed(migration) }
        }
        return Array(migrations.dropFirst(newest))
    }

    /// Lets the log hold every kind of event that this program writes. Programs that do not know them cannot read the
    /// log any more: every server must be of this program. This cannot be undone.
    /// - Returns: the log's new format; nil when the log had it already.
    @discardableResult
    public static func finish(on connection: PostgresConnection) throws -> Int32? {
        guard try Migrator().pending(on: connection).isEmpty else { throw MigrationError.notMigrated }
        let result = try connection.query(Queries.raiseFormat, [.int4(EventStore.logFormats.upperBound)])
        return result.rowCount == 0 ? nil : try result.int4(row: 0, column: 0)
    }

    func apply(on connection: PostgresConnection, partitions: Int32) throws -> [Migration] {
        let applied = try applyAll(on: connection)
        try connection.transaction { connection in
            _ = try connection.query(Queries.lockMigrations)
            try Self.ensureRole(on: connection)
            _ = try connection.query(
                Queries.initializeLog,
                [.int4(partitions), .text(EventStore.partitionHash), .int4(EventStore.logFormats.upperBound)])
            _ = try connection.query(Queries.initializeGeneration, [.int4(FocusCore.foldVersion)])
            _ = try connection.query(Queries.grantGenerations)
        }
        return applied
    }

    /// Applies what is missing and nothing else.
    func applyAll(on connection: PostgresConnection) throws -> [Migration] {
        var applied: [Migration] = []
        while let migration = try pending(on: connection).first {
            let isApplied =
                switch migration.script {
                case .transaction(let sql): try apply(migration, sql, on: connection)
                case .statements(let statements): try apply(migration, statements, on: connection)
                }
            guard isApplied else { continue }
            applied.append(migration)
            report(.applied(migration))
        }
        return applied
    }

    /// - Returns: false when another migrator has just applied it.
    private func apply(_ migration: Migration, _ sql: String, on connection: PostgresConnection) throws -> Bool {
        try connection.transaction { connection in
            _ = try connection.query(Queries.lockMigrations)
            guard try pending(on: connection).first == migration else { return false }
            if migration.number == 1 { try connection.execute(Queries.createMigrations.sql) }
            try connection.execute(sql)
            try record(migration, on: connection)
            return true
        }
    }

    func record(_ migration: Migration, on connection: PostgresConnection) throws {
        _ = try connection.query(
            Queries.recordMigration,
            [.int4(Int32(migration.number)), .text(migration.name), .text(migration.checksum)])
    }

    private static func ensureRole(on connection: PostgresConnection) throws {
        let role = try connection.query(Queries.readAppRole).text(row: 0, column: 0)
        do {
            _ = try connection.query(Queries.ensureAppRole)
        } catch  where error.kind == .insufficientPrivilege {
            throw MigrationError.roleNotAllowed(role: role)
        }
    }
}
