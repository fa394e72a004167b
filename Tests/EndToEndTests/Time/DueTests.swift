import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rules T1 and T3 with no device connected, on a real log, by a clock that the test moves.
@Suite("Time: users who are not there", .fewAtATime) struct DueTests {
    private let user = UserID.random()

    /// Runs a server at `clock` and stops it, so that nothing is left in memory.
    private func session(
        at clock: TestClock, on conninfo: String? = nil, _ body: (TestServer) async throws -> Void
    ) async throws -> TestServer {
        let server = try await TestServer.start(at: clock, conninfo: conninfo)
        do { try await body(server) } catch {
            try await server.server.stop()
            throw error
        }
        try await server.server.stop()
        return server
    }

    @Test(
        "T1, T3: due while no server ran: appended once by the next, late, in the order and with the times they had",
        arguments: [true, false])
    func restart(isProjected: Bool) async throws {
        let clock = try TestClock("2026-03-28T12:00:00Z")
        let first = try await session(at: clock) { server in
            // If not projected, the read model never learns of the user, and only the log's tail has the events.
            let holder = try server.database()
            try holder.execute("BEGIN")
            if !isProjected { _ = try holder.query(TestStatement.lockCheckpoints) }
            let focus = try EventBody.focus(until: "2026-03-29T08:00:00Z")
            // 02:30 does not exist that night; 03:00 is the first instant after it.
            let summary = EventBody.scheduledApp + EventBody.schedule([150], "Europe/Zurich") + EventBody.post("n")
            try await server.say(user, clock, summary + focus)
            if isProjected {
                try await server.wait("projected", for: TestStatement.sumCheckpoints, 7)
            }
            #expect(try await server.timers().isEmpty)
            holder.close()
        }
        try clock.move(to: "2026-03-29T09:00:00Z")
        let expected = [
            Timer(
                user: user, type: "summary.delivered", occurredAt: "2026-03-29T01:00:00Z",
                recordedAt: "2026-03-29T09:00:00Z", sequence: 2),
            Timer(
                user: user, type: "focus.expired", occurredAt: "2026-03-29T08:00:00Z",
                recordedAt: "2026-03-29T09:00:00Z", sequence: 3),
        ]
        _ = try await session(at: clock, on: first.conninfo) { server in
            #expect(try await server.timers(2) == expected)
            try await server.wait("nothing is due any more", for: TestStatement.countDue, 0)
        }
        try clock.move(to: "2026-03-31T09:00:00Z")
        let sentinel = UserID.random()
        _ = try await session(at: clock, on: first.conninfo) { server in
            try await server.say(sentinel, clock, try EventBody.focus(until: "2026-03-31T10:00:00Z"))
            try clock.move(to: "2026-03-31T10:00:00Z")
            let timers = try await server.timers(3)
            #expect(Array(timers.prefix(2)) == expected && timers.count == 3 && timers[2].user == sentinel)
        }
    }

    @Test("T3: of several summaries missed in a downtime only the latest comes, with its time in occurred_at")
    func downtime() async throws {
        let clock = try TestClock("2026-10-23T12:00:00Z")
        let first = try await session(at: clock) { server in
            let schedule = EventBody.schedule([150, 480, 1_080], "Europe/Zurich")
            try await server.say(user, clock, EventBody.scheduledApp + schedule + EventBody.post("n"))
        }
        // 02:50 in the repeated hour: 02:30 was 80 minutes ago, in the first one.
        try clock.move(to: "2026-10-25T01:50:00Z")
        _ = try await session(at: clock, on: first.conninfo) { server in
            let timers = try await server.timers(1)
            #expect(timers.map(\.occurredAt) == ["2026-10-25T00:30:00Z"])
            // A notification posted now waits for 08:00; 02:30 does not fire a second time.
            try await server.say(user, clock, EventBody.post("m"))
            try clock.move(to: "2026-10-25T07:00:00Z")
            #expect(try await server.timers(2).map(\.occurredAt).last == "2026-10-25T07:00:00Z")
        }
    }

    @Test("T3: another schedule moves the time, also to another zone; what is no longer due is not written")
    func noLongerDue() async throws {
        let clock = try TestClock("2026-11-20T12:00:00Z")
        let (moved, done, sentinel) = (user, UserID.random(), UserID.random())
        let first = try await session(at: clock) { server in
            for user in [moved, done, sentinel] {
                let schedule = EventBody.schedule([480], "Europe/Zurich")
                try await server.say(user, clock, EventBody.scheduledApp + schedule + EventBody.post("n"))
            }
            try await server.wait("projected", for: TestStatement.countDue, 3)
            try clock.move(to: "2026-11-20T13:00:00Z")
            try await server.say(moved, clock, EventBody.schedule([480], "America/New_York"))
            try await server.say(done, clock, [("a", .notificationRead(NotificationIDs(ids: ["n"])))])
        }
        try clock.move(to: "2026-11-21T07:30:00Z")
        _ = try await session(at: clock, on: first.conninfo) { server in
            #expect(try await server.timers(1).map(\.user) == [sentinel])
            try clock.move(to: "2026-11-21T13:00:00Z")
            let timers = try await server.timers(2)
            #expect(timers.map(\.user) == [sentinel, moved] && timers[1].occurredAt == "2026-11-21T13:00:00Z")
        }
    }

    @Test("T3: a zone that nobody knows gets UTC's times")
    func unknownZone() async throws {
        let clock = try TestClock("2026-11-20T12:00:00Z")
        _ = try await session(at: clock) { server in
            let schedule = EventBody.schedule([480], "Mars/Olympus_Mons")
            try await server.say(user, clock, EventBody.scheduledApp + schedule + EventBody.post("n"))
            try clock.move(to: "2026-11-21T20:00:00Z")
            #expect(try await server.timers(1).map(\.occurredAt) == ["2026-11-21T08:00:00Z"])
        }
    }

    @Test("T1: neither more users who cannot be folded than a look takes up nor wrong due times keep others waiting")
    func inTheWay() async throws {
        let clock = try TestClock("2026-11-20T12:00:00Z")
        let (broken, idle) = (UserID.random(), UserID.random())
        let first = try await session(at: clock) { server in
            try await server.say(broken, clock, try EventBody.focus(until: "2026-11-20T13:00:00Z"))
            try await server.say(user, clock, try EventBody.focus(until: "2026-11-20T14:00:00Z"))
            try await server.say(idle, clock, EventBody.scheduledApp)
            try await server.wait("projected", for: TestStatement.sumCheckpoints, 7)
            try await server.wait("projected", for: TestStatement.countDue, 2)
        }
        try await onThread {
            let database = try first.database()
            defer { database.close() }
            try database.execute(TestStatement.spoil(broken))
            _ = try database.query(TestStatement.addBrokenUsers, [.int4(1_500)])
            try database.execute(TestStatement.makeStale(idle))
        }
        try clock.move(to: "2026-11-20T15:00:00Z")
        _ = try await session(at: clock, on: first.conninfo) { server in
            #expect(try await server.timers(1).map(\.user) == [user])
            try await server.wait("only the broken ones are left", for: TestStatement.countDue, 1_501)
        }
    }

    @Test("T1: more users than a look takes up, none in memory, while the read model hears nothing of them")
    func standingProjection() async throws {
        let clock = try TestClock("2026-11-20T15:00:00Z")
        let first = try await session(at: clock) { _ in }
        let users = Set((0..<600).map { _ in UserID.random() })
        let holder = try await onThread { try LockedCheckpoints(first, after: users) }
        _ = try await session(at: clock, on: first.conninfo) { server in
            let timers = try await server.timers(users.count)
            #expect(Set(timers.map(\.user)) == users && timers.count == users.count)
            #expect(timers.allSatisfy { $0.occurredAt == "2026-11-20T14:00:00Z" && $0.sequence == 1 })
        }
        try await onThread { holder.release() }
    }
}

/// A log with users whose Focus ends at 14:00, and a read model that cannot be written until it is released.
// @unchecked: created on one thread, and released on another one afterwards.
private final class LockedCheckpoints: @unchecked Sendable {
    private let connection: PostgresConnection

    init(_ server: TestServer, after users: Set<UserID>) throws {
        connection = try server.database()
        let bodies = try EventBody.focus(until: "2026-11-20T14:00:00Z").map(\.1)
        let time = try Timestamp(iso: "2026-11-20T12:00:00Z")
        var events: [LoggedEvent] = []
        for user in users {
            for (index, body) in bodies.enumerated() {
                events.append(
                    LoggedEvent(
                        partition: Partition(0), offset: LogOffset(Int64(events.count)), user: user,
                        version: Version(Int64(index + 1)), device: DeviceID(user.uuid), incarnation: Incarnation(1),
                        sequence: DeviceSequence(Int64(index + 1)), id: .random(), type: body.type.rawValue, app: nil,
                        occurredAt: time, recordedAt: time, schemaVersion: 1, payload: PayloadCodec.encode(body)))
            }
        }
        let batch = PartitionAppend(partition: Partition(0), expectedOffset: .zero, events: events)
        guard try LogWriter().appendToEnd([batch], on: connection)[Partition(0)] != .behind else {
            throw WireError.unexpected("the log is not empty")
        }
        try connection.execute("BEGIN")
        _ = try connection.query(TestStatement.lockCheckpoints)
    }

    func release() { connection.close() }
}
