import PostgresClient
import Support
import Synchronization
import Testing

@testable import EventStore

@Suite("Rebuild, and locks") struct RebuildLocksTests {
    @Test(
        "A rebuild that cannot have a view keeps nobody waiting who reads others, says so, and goes on once it is free")
    func rebuild() throws {
        let fixture = try RebuildFixture(users: 3, events: 120)
        #expect(try whileOthersRead(fixture) { try $0.rebuild().generation } == 2)
        #expect(try fixture.owner.integer("SELECT count(*) FROM log_partitions WHERE generation = 2") == 4)
    }

    @Test("A generation that is dropped keeps nobody waiting either")
    func dropOld() throws {
        let fixture = try RebuildFixture(users: 3, events: 120)
        _ = try fixture.rebuilder { $0.keepsOld = true }.rebuild()
        #expect(try whileOthersRead(fixture) { try #require(try $0.dropOld().first) } == 1)
    }

    /// Does `work` while a long query uses one view, and others read the views before and behind it.
    private func whileOthersRead(
        _ fixture: RebuildFixture, _ work: @escaping @Sendable (Rebuilder) throws -> Int32
    ) throws -> Int32 {
        let progress = Progress()
        let rebuilder = fixture.rebuilder(refused: { progress.isRefused.store(true, ordering: .relaxed) })
        let conninfo = fixture.fixture.conninfo
        let results = try inParallel(2) { thread -> Int32? in
            if thread == 0 {
                try eventually("a long query") { progress.isHeld.load(ordering: .relaxed) }
                defer { progress.isDone.store(true, ordering: .relaxed) }
                return try work(rebuilder)
            }
            let (long, short) = (
                try PostgresConnection(PostgresConfiguration(conninfo: conninfo)),
                try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            )
            defer {
                long.close()
                short.close()
            }
            try long.execute("BEGIN; SELECT count(*) FROM read.notifications")
            progress.isHeld.store(true, ordering: .relaxed)
            try eventually("a view that cannot be had") { progress.isRefused.load(ordering: .relaxed) }
            try short.execute("SET lock_timeout = '10s'")
            for _ in 0..<50 {
                try short.execute("SELECT count(*) FROM read.alerts")
                try short.execute("SELECT count(*) FROM read.routes")
            }
            let isDone = progress.isDone.load(ordering: .relaxed)
            #expect(!isDone)
            try long.execute("COMMIT")
            return nil
        }
        return try #require(results[0])
    }
}

private final class Progress: Sendable {
    let isHeld = Atomic(false)
    let isRefused = Atomic(false)
    let isDone = Atomic(false)
}
