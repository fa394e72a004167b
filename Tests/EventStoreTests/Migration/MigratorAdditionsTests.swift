import FocusCore
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Migrator, and the last release")
struct MigratorAdditionsTests {
    private static let release = Array(Migrations.all.prefix(Migrator.lastRelease))

    private let conninfo: String
    private let owner: PostgresConnection

    init() throws {
        conninfo = try TestCluster.shared.makeDatabase()
        owner = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
    }

    /// A log as the last release made it.
    private func makeLog() throws {
        _ = try Migrator(Self.release).applyAll(on: owner)
        _ = try owner.query(Queries.initializeLog, [.int4(2), .text(EventStore.partitionHash), .int4(3)])
    }

    private func recorded(in table: String) throws -> [Int] {
        let result = try owner.query(
            Statement(name: "test_\(table)", sql: "SELECT number FROM \(table) ORDER BY number"))
        return try (0..<result.rowCount).map { Int(try result.int4(row: $0, column: 0)) }
    }

    @Test("P10: programs of the last release start on the migrated log, until the upgrade is finished")
    func wayBack() throws {
        try makeLog()
        #expect(try Migrator.migrate(on: owner) == Array(Migrations.all.dropFirst(Migrator.lastRelease)))
        // Back and forward again: nothing is left to do for either.
        #expect(try Migrator(Self.release).pending(on: owner).isEmpty)
        #expect(try Migrator.migrate(on: owner).isEmpty)
        let status = try #require(try UpgradeStatus.read(on: owner))
        #expect(status.additions == Migrations.all.count - Migrator.lastRelease && status.format == 3)
        #expect(!status.isFinished)

        #expect(try Migrator.finish(on: owner) == EventStore.logFormats.upperBound)
        #expect(try UpgradeStatus.read(on: owner)?.isFinished == true)
        #expect(throws: MigrationError.databaseIsNewer(database: Migrations.all.count, program: Migrator.lastRelease)) {
            try Migrator(Self.release).pending(on: owner)
        }
        #expect(try Migrator.migrate(on: owner).isEmpty)
    }

    @Test("What the last release reads is where it was: it sees no record of an addition")
    func recordedApart() throws {
        try makeLog()
        try Migrator.migrate(on: owner)
        #expect(try recorded(in: "schema_migrations") == Array(1...Migrator.lastRelease))
        #expect(try recorded(in: "schema_additions") == Array((Migrator.lastRelease + 1)...Migrations.all.count))
        try Migrator.finish(on: owner)
        #expect(try recorded(in: "schema_migrations") == Array(1...Migrations.all.count))
        #expect(try recorded(in: "schema_additions") == [])
    }

    @Test("An upgrade over two releases that was not finished in between bars the first of them")
    func twoReleases() throws {
        try makeLog()
        try Migrator.migrate(on: owner)
        let next = Migrator.lastRelease + 2
        _ = try Migrator(lastRelease: next).apply(on: owner, partitions: 2)
        #expect(throws: MigrationError.databaseIsNewer(database: next, program: Migrator.lastRelease)) {
            try Migrator(Self.release).pending(on: owner)
        }
        #expect(try Migrator(Array(Migrations.all.prefix(next))).pending(on: owner).isEmpty)
        #expect(try Migrator().pending(on: owner).isEmpty)
    }

    @Test("Rows that another fold has begun to write are not taken for this program's", arguments: [true, false])
    func begunByAnother(hasRows: Bool) throws {
        try makeLog()
        _ = try owner.query(Queries.initializeGeneration, [.int4(4)])
        // A generation that is being filled has rows before it has a checkpoint.
        if hasRows {
            try owner.execute(
                "INSERT INTO read_1.users (partition, user_id, version) VALUES (0, gen_random_uuid(), 1)")
        }
        try Migrator.migrate(on: owner)
        let fold = try owner.integer("SELECT fold_version FROM generations WHERE generation = 1")
        #expect((fold == Int64(FocusCore.foldVersion)) == !hasRows)
    }

    @Test("A rebuild is not resumed, as none is begun, while servers of the last release may be started on the log")
    func resumed() throws {
        try makeLog()
        try Migrator.migrate(on: owner)
        _ = try owner.query(Queries.createGeneration, [.int4(2), .int4(FocusCore.foldVersion)])
        _ = try owner.query(Queries.beginRebuild, [.int4(2), .text("rebuild"), .bool(false), .bool(true)])
        _ = try owner.query(Queries.beginRebuildPartitions, [.int4(2), .text(RebuildPlace.Phase.filling.rawValue)])
        let rebuilder = Rebuilder(PostgresConfiguration(conninfo: conninfo))
        #expect(throws: RebuildError.earlierFormat(3)) { try rebuilder.resume() }
        #expect(throws: RebuildError.self) { try rebuilder.rebuild() }
    }

    @Test("A log that this program makes has no way back: it holds what earlier programs cannot read")
    func newLog() throws {
        #expect(try UpgradeStatus.read(on: owner) == nil)
        try Migrator.migrate(on: owner)
        #expect(try UpgradeStatus.read(on: owner)?.isFinished == true)
        #expect(throws: MigrationError.self) { try Migrator(Self.release).pending(on: owner) }
    }

    @Test("An addition whose text was edited after it was applied is refused")
    func changedAddition() throws {
        try makeLog()
        try Migrator.migrate(on: owner)
        var edited = Migrations.all
        edited[edited.count - 1] = Migration(
            number: edited.count, name: edited[edited.count - 1].name, sql: "SELECT 1", checksum: "other")
        #expect(throws: MigrationError.changed(edited[edited.count - 1])) { try Migrator(edited).pending(on: owner) }
    }

    /// The connection for hints of a server.
    private func connectServer(_ name: String) throws -> PostgresConnection {
        var configuration = PostgresConfiguration(conninfo: conninfo)
        configuration.applicationName = name
        let connection = try PostgresConnection(configuration)
        try LogNotification.listen(on: connection)
        return connection
    }

    @Test("An upgrade is not finished while servers of an earlier version are connected, and it says where")
    func earlierServers() throws {
        try makeLog()
        try Migrator.migrate(on: owner)
        let own = try connectServer(ConnectedServer.applicationName)
        defer { own.close() }
        for name in ["focusd-hints", "focusd-hints/\(Migrations.all.count - 1)"] {
            let earlier = try connectServer(name)
            let servers = try #require(try UpgradeStatus.read(on: owner)).servers
            #expect(servers.map(\.isEarlier) == [true, false])
            let error = #expect(throws: MigrationError.self) { try Migrator.finish(on: owner) }
            #expect(error == .earlierServers([servers[0]]))
            #expect(error?.description.contains(servers[0].connectedAt.rfc3339) == true)
            #expect(try LogIdentity.read(on: owner).format == 3)
            earlier.close()
            try eventually("PostgreSQL knows that it has gone") { try ConnectedServer.all(on: owner).count == 1 }
        }
        #expect(try Migrator.finish(on: owner) == EventStore.logFormats.upperBound)
    }

    @Test("Who serves a log alone is not held up by what is left of the server before")
    func alone() throws {
        try makeLog()
        try Migrator.migrate(on: owner)
        let earlier = try connectServer("focusd-hints")
        defer { earlier.close() }
        #expect(try Migrator.finish(on: owner, isAlone: true) == EventStore.logFormats.upperBound)
    }
}
