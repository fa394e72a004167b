import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

@Suite("Time: two servers", .fewAtATime) struct TwoServersDueTests {
    /// Blocks both servers at the partition's lock with an append each, so that neither knows of the other's.
    private func race(_ server: TestServer, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await onThread {
            let (holder, watcher) = (try server.database(), try server.database())
            defer {
                holder.close()
                watcher.close()
            }
            try holder.execute("BEGIN")
            _ = try holder.query(TestStatement.lockPartitions)
            try body()
            try eventually("both servers want to append") {
                try watcher.query(TestStatement.countWaiting).int8(row: 0, column: 0) == 2
            }
            try holder.execute("ROLLBACK")
        }
    }

    @Test("T1, T3: two servers race on the same due users: exactly one event each", arguments: [true, false])
    func race(isInMemory: Bool) async throws {
        let clock = try TestClock("2026-11-20T12:00:00Z")
        let users = (0..<5).map { _ in UserID.random() }
        let setter = try await TestServer.start(at: clock)
        for user in users {
            let schedule = EventBody.schedule([480, 1_080], "Europe/Zurich")
            let focus = try EventBody.focus(until: "2026-11-20T16:00:00Z")
            try await setter.say(user, clock, EventBody.scheduledApp + schedule + EventBody.post("n") + focus)
        }
        try await setter.wait("projected", for: TestStatement.countDue, Int64(users.count))
        try await setter.server.stop()
        let servers = [
            try await TestServer.start(at: clock, conninfo: setter.conninfo),
            try await TestServer.start(at: clock, conninfo: setter.conninfo),
        ]
        if isInMemory {
            for server in servers {
                for user in users { try await server.say(user, clock, EventBody.post("m")) }
            }
        }
        // 18:00 in Zurich, an hour after the Focus ends.
        try await race(servers[0]) { try clock.move(to: "2026-11-20T17:00:00Z") }
        let count = users.count
        _ = try await servers[0].timers(count * 2)
        // When both servers want to append the next timers, the loser has looked again; if it had more to append, it
        // would have done so by then.
        for server in servers {
            try await server.say(users[0], clock, try EventBody.focus(until: "2026-11-20T18:00:00Z"))
        }
        try await race(servers[0]) { try clock.move(to: "2026-11-20T18:00:00Z") }
        let timers = try await servers[1].timers(count * 2 + 1)
        for user in users {
            let own = timers.filter { $0.user == user }
            #expect(own.map(\.type).prefix(2) == ["focus.expired", "summary.delivered"])
            #expect(own.map(\.occurredAt).prefix(2) == ["2026-11-20T16:00:00Z", "2026-11-20T17:00:00Z"])
            #expect(own.count == (user == users[0] ? 3 : 2), "\(own)")
        }
        for server in servers { try await server.server.stop() }
        #expect(try await servers[0].timers().count == count * 2 + 1)
    }
}
