import FocusCore
import PostgresClient

/// Brings a database to the schema that this program knows.
///
/// A migration runs in one transaction, which also records it. If it fails, the database is as the migration before
/// left it. A migration with statements that PostgreSQL refuses in a transaction runs them one by one, and is recorded
/// after the last (`Migrator+Statements`). When several programs migrate the same database at once, one does the work:
/// the others wait for it and find nothing left to do.
///
/// Servers of the last release may be started on the migrated database until the upgrade is finished
/// (`Migrator+Additions`): that is how an operator goes back.
public struct Migrator: Sendable {
    /// In order of their numbers, from 1, without gaps.
    let migrations: [Migration]
    /// How many migrations the last release knows.
    let lastRelease: Int
    /// Called on any thread, one call at a time.
    let report: @Sendable (MigrationProgress) -> Void

    init(
        _ migrations: [Migration] = Migrations.all, lastRelease: Int = Self.lastRelease,
        report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) {
        self.migrations = migrations
        self.lastRelease = lastRelease
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
        let encoding = try database.text(row: 0, column: 2)
        guard encoding == "UTF8" else { throw MigrationError.notUTF8(encoding: encoding) }
        guard try database.bool(row: 0, column: 0) else { return migrations }
        var seen = try Self.checksums(Queries.readMigrations, on: connection)
        let required = seen.keys.max() ?? 0
        guard required <= migrations.count else {
            throw MigrationError.databaseIsNewer(database: required, program: migrations.count)
        }
        if try database.bool(row: 0, column: 1) {
            seen.merge(try Self.checksums(Queries.readAdditions, on: connection)) { one, _ in one }
        }
        // What is newer than this program is an addition then, which it does without.
        let newest = seen.keys.filter { $0 <= migrations.count }.max() ?? 0
        for migration in migrations.prefix(newest) {
            guard let checksum = seen[migration.number] else { throw MigrationError.missing(migration) }
            guard checksum == migration.checksum else { throw MigrationError.changed(migration) }
        }
        return Array(migrations.dropFirst(newest))
    }

    func apply(on connection: PostgresConnection, partitions: Int32) throws -> [Migration] {
        let applied = try applyAll(on: connection)
        try untilLocked(connection, for: nil) { connection in
            try settleAdditions(through: lastRelease, on: connection)
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
        try untilLocked(connection, for: migration) { connection in
            guard try pending(on: connection).first == migration else { return false }
            if migration.number == 1 {
                try connection.execute(Queries.createMigrations.sql)
                try connection.execute(Queries.createAdditions.sql)
            }
            try connection.execute(sql)
            try record(migration, on: connection)
            return true
        }
    }

    private static func checksums(_ statement: Statement, on connection: PostgresConnection) throws -> [Int: String] {
        let result = try connection.query(statement)
        let rows = try (0..<result.rowCount).map { row in
            (Int(try result.int4(row: row, column: 0)), try result.text(row: row, column: 2))
        }
        return Dictionary(rows) { one, _ in one }
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
