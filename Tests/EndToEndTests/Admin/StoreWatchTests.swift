import EventStore
import FocusCore
import Logging
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Questions for the database that nobody waits for.
@Suite("Store watch", .fewAtATime) struct StoreWatchTests {
    @Test("PostgreSQL is asked when somebody wants to know, and once a minute at the most")
    func pace() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let log = try await onThread {
            let owner = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { owner.close() }
            _ = try Migrator.migrate(on: owner, partitions: 2)
            return try LogIdentity.read(on: owner)
        }
        let time = ManualTime()
        let watch = StoreWatch(
            StoreConfiguration(PostgresConfiguration(conninfo: conninfo)), log: log, clock: time.clock,
            logger: Logger(label: "test"), isStopping: { false })
        watch.start()
        #expect(watch.figures() == nil, "nobody waits for it")
        try await awaiting("PostgreSQL has answered") { watch.figures() != nil }
        #expect(watch.figures()?.figures.lastBackup == nil)
        try await onThread {
            let owner = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { owner.close() }
            try BackupRecord.record(tool: "test", microseconds: 1_000_000, events: 7, on: owner)
        }
        time.advance(milliseconds: 59_999)
        for _ in 0..<100 { #expect(watch.figures()?.figures.lastBackup == nil) }
        #expect(watch.figures()?.age == 59_999)
        time.advance(milliseconds: 1)
        try await awaiting("PostgreSQL has answered again") { watch.figures()?.figures.lastBackup?.events == 7 }
        let last = watch.figures()?.figures.lastBackup
        #expect(last.map { $0.finishedAt.microseconds - $0.beganAt.microseconds } == 1_000_000)
        try await onThread { watch.stop() }
    }
}
