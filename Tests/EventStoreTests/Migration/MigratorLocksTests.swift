import FocusCore
import PostgresClient
import Support
import Synchronization
import Testing

@testable import EventStore

@Suite("Migrator, and locks")
struct MigratorLocksTests {
    @Test("A migration that cannot have its table keeps nobody waiting who reads it, and is applied once it is free")
    func heldTable() throws {
        let conninfo = try TestCluster.shared.makeDatabase()
        let connect = { @Sendable in try PostgresConnection(PostgresConfiguration(conninfo: conninfo)) }
        let owner = try connect()
        let before = Array(Migrations.all.prefix { $0.name != "ring_once" })
        #expect(before.count < Migrations.all.count)
        _ = try Migrator(before).applyAll(on: owner)
        // A report that takes long, and reads what the migration alters.
        try owner.execute("BEGIN; SELECT count(*) FROM read_1.alerts")
        let told = Told()
        let run = try MigratorRun {
            let connection = try connect()
            defer { connection.close() }
            return try Migrator { told.add($0) }.applyAll(on: connection)
        }
        let ringOnce = Migrations.all[before.count]
        try eventually("the migration has given up once") { told.all.contains(.locked(ringOnce)) }
        let reader = try connect()
        try reader.execute("SET lock_timeout = '10s'")
        for _ in 0..<50 { try reader.execute("SELECT count(*) FROM read_1.alerts") }
        #expect(!told.all.contains(.applied(ringOnce)))
        try owner.execute("COMMIT")
        #expect(try run.result() == Array(Migrations.all.dropFirst(before.count)))
    }
}

private final class Told: Sendable {
    private let reports = Mutex<[MigrationProgress]>([])

    func add(_ progress: MigrationProgress) { reports.withLock { $0.append(progress) } }

    var all: [MigrationProgress] { reports.withLock { $0 } }
}
