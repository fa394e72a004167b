import FocusCore
import Foundation
import PostgresClient
import Synchronization
import Testing

@testable import EventStore

@Suite("Rebuild status") struct RebuildStatusTests {
    private let fixture: RebuildFixture

    init() throws { fixture = try RebuildFixture(users: 3, events: 120) }

    private func status() throws -> ProjectionStatus { try Self.status(fixture.fixture.conninfo) }

    private static func status(_ conninfo: String) throws -> ProjectionStatus {
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        defer { connection.close() }
        return try StatusReader().read(LogIdentity.read(on: connection), counting: false, on: connection)
    }

    @Test("The status tells of a rebuild while it works: its generation, and how far it is")
    func working() throws {
        let seen = Mutex<[UnfinishedRebuild?]>([])
        let conninfo = fixture.fixture.conninfo
        let watching = Rebuilder(PostgresConfiguration(conninfo: conninfo)) { progress in
            guard progress.stage == .cuttingOver, let status = try? Self.status(conninfo) else { return }
            seen.withLock { $0.append(status.rebuild) }
        }
        #expect(try status().rebuild == nil)
        _ = try watching.rebuild()
        let first = try #require(seen.withLock { $0 }.first)
        let rebuild = try #require(first)
        #expect(rebuild.generation == 2 && rebuild.kind == .rebuild && !rebuild.verifies)
        #expect(rebuild.standing == .working && rebuild.foldVersion == FocusCore.foldVersion)
        #expect(rebuild.partitions == 4 && rebuild.filled == 4 && (1...2).contains(rebuild.cutOver))
        let events = Int64(fixture.history.events.count)
        #expect(rebuild.events == events && rebuild.eventsTotal == events)
        #expect(abs(rebuild.startedAt.microseconds - Int64(Date().timeIntervalSince1970 * 1e6)) < 600_000_000)
        #expect(try status().rebuild == nil, "it has ended")
    }

    @Test("An interrupted rebuild is told with what it has done, its tables, and whether this program can resume it")
    func interrupted() throws {
        try fixture.owner.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        try fixture.owner.execute("UPDATE events SET encoding = 9 WHERE log_offset = 30 AND partition = 0")
        #expect(throws: RebuildError.self) { try fixture.rebuilder { $0.verifies = true }.rebuild() }
        let found = try status()
        let rebuild = try #require(found.rebuild)
        // All events are in one partition; the other partitions are empty.
        #expect(rebuild.partitions == 4 && rebuild.cutOver == 0 && rebuild.filled < 4)
        #expect(rebuild.events == 0 && rebuild.eventsTotal == Int64(fixture.history.events.count))
        #expect(rebuild.standing == .resumable && rebuild.verifies)
        #expect(found.partitions.allSatisfy { $0.generation == 1 })
        #expect(Set(found.tables.map(\.generation)) == [1, 2])
        try fixture.owner.execute("UPDATE generations SET fold_version = 1 WHERE generation = 2")
        #expect(try status().rebuild?.standing == .otherFold)
        let other = try fixture.fixture.owner()
        #expect(try other.query(Queries.lockRebuild).bool(row: 0, column: 0))
        #expect(try status().rebuild?.standing == .working)
        try other.releaseAndClose()
        _ = try fixture.rebuilder().dropOld()
        #expect(try status().rebuild == nil && Set(status().tables.map(\.generation)) == [1])
    }

    @Test("A rollback that was interrupted folds no events and can be resumed")
    func rollback() throws {
        _ = try fixture.rebuilder().rebuild()
        try fixture.owner.execute("UPDATE rebuilds SET kind = 'rollback', finished_at = NULL WHERE generation = 2")
        let rebuild = try #require(try status().rebuild)
        #expect(rebuild.kind == .rollback && rebuild.eventsTotal == 0 && rebuild.standing == .resumable)
        #expect(rebuild.cutOver == 4)
    }
}
