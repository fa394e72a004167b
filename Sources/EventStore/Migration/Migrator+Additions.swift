import PostgresClient

/// Going back to the last release, until the upgrade is finished.
///
/// A program refuses a database with migrations that it does not know. So those that the last release does not know are
/// recorded apart, as additions: its programs find nothing new, start, and work on a database that has more than they
/// use. Finishing the upgrade records them with all others, and from then on those programs refuse to start.
extension Migrator {
    /// How many migrations the last release knows. Every later one must leave it everything that it works with.
    static let lastRelease = 23

    /// Remembers that a migration was applied. A database that holds no log yet was never served by an earlier program,
    /// so nothing is an addition there.
    func record(_ migration: Migration, on connection: PostgresConnection) throws {
        let isAddition =
            try migration.number > lastRelease
            && connection.query(Queries.findLog).bool(row: 0, column: 0)
        if isAddition { try connection.execute(Queries.createAdditions.sql) }
        _ = try connection.query(
            isAddition ? Queries.recordAddition : Queries.recordMigration,
            [.int4(Int32(migration.number)), .text(migration.name), .text(migration.checksum)])
    }

    /// Has every program that is started know the migrations up to this number.
    func settleAdditions(through number: Int, on connection: PostgresConnection) throws {
        guard try connection.query(Queries.describeDatabase).bool(row: 0, column: 1) else { return }
        _ = try connection.query(Queries.settleAdditions, [.int4(Int32(clamping: number))])
    }

    /// Lets the log hold every kind of event that this program writes, and keeps earlier programs from being started on
    /// it: they cannot read it any more. This cannot be undone.
    ///
    /// Throws `MigrationError.notMigrated`; `.earlierServers` while servers of an earlier version are connected, unless
    /// they are so through a pooler alone, where nobody sees them; `PostgresError`.
    /// - Parameter isAlone: this process alone serves the log, so a connection of another server is one that ends.
    /// - Returns: the log's new format; nil when the log had it already.
    @discardableResult
    public static func finish(on connection: PostgresConnection, isAlone: Bool = false) throws -> Int32? {
        let migrator = Migrator()
        return try connection.transaction { connection in
            _ = try connection.query(Queries.lockMigrations)
            guard try migrator.pending(on: connection).isEmpty else { throw MigrationError.notMigrated }
            let earlier = isAlone ? [] : try ConnectedServer.all(on: connection).filter(\.isEarlier)
            guard earlier.isEmpty else { throw MigrationError.earlierServers(earlier) }
            try migrator.settleAdditions(through: migrator.migrations.count, on: connection)
            let result = try connection.query(Queries.raiseFormat, [.int4(EventStore.logFormats.upperBound)])
            return result.rowCount == 0 ? nil : try result.int4(row: 0, column: 0)
        }
    }
}
