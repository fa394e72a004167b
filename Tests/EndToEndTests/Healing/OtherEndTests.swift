import FocusCore
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A pooler changes to another PostgreSQL behind connections that stay open. The log there lacks the last events, and
/// other devices' events have taken their offsets. The server's clock stands still, so it does not poll.
@Suite("Log with another end", .fewAtATime) struct OtherEndTests {
    private let user = UserID.random()

    /// - Parameters:
    ///   - more: events beyond those that replace the lost ones.
    ///   - looks: whether the server looks at the heads before it appends.
    @Test(
        "S6, E1: nothing is appended behind events of others that stand where the lost ones stood",
        arguments: [(0, false), (0, true), (5, false), (5, true), (1_500, true)])
    func filled(more: Int, looks: Bool) async throws {
        let server = try await TestServer.start(partitions: 1, clock: ManualTime().clock)
        // Notifications would make the server look at the heads.
        server.server.faults.set(.notifyLost, true)
        let device = DeviceID.random()
        let (first, _) = try await WireClient.open(server, user: user, device: device)
        try await first.untilLive()
        try await first.append(from: 1, Envelope.setUp("a") + [.post("n", app: "a")])
        _ = try await first.appended()
        try await onThread {
            let database = try server.database()
            defer { database.close() }
            // A projection under way would write rows of the lost history into the read model. In a real fall of the
            // log the server's statements end with the old database.
            try eventually("everything is projected") {
                try database.query(TestStatement.unprojected).int8(row: 0, column: 0) == 0
            }
            try database.execute(TestStatement.otherEnd(keeping: 2, behindIt: 2 + more))
        }
        if looks { await (try WireClient.open(server, user: .random())).client.close() }
        // The connection may be cut already.
        try? await first.append(from: 4, [.post("m", app: "a")])
        // Any other answer would be wrong, because the server knows another history.
        _ = try await first.goAway()
        let (again, welcome) = try await WireClient.open(server, user: user, device: device)
        #expect(welcome.lastSequence == DeviceSequence(1))
        try await again.append(from: 2, [Envelope.setUp("a")[1], .post("n", app: "a"), .post("m", app: "a")])
        #expect(try await again.appended().throughSequence == DeviceSequence(4))
        try await onThread {
            let database = try server.database()
            defer { database.close() }
            for statement in [TestStatement.gaps, TestStatement.gapsOfUsers] {
                #expect(try database.query(statement).int8(row: 0, column: 0) == 0, "\(statement.name)")
            }
        }
        await again.close()
        try await server.server.stop()
    }

    /// Both clocks are behind the log's times, so only the step between events tells the two histories apart.
    @Test("S6: a server that knows an event where it stands again, behind others, takes the log for another")
    func sameEventAgain() async throws {
        var clock = ManualTime().clock
        clock.step = { 1 }
        let server = try await TestServer.start(partitions: 1, clock: clock)
        server.server.faults.set(.notifyLost, true)
        let users = [user, .random(), .random()]
        let devices = users.map { _ in DeviceID.random() }
        let (first, _) = try await WireClient.open(server, user: users[0], device: devices[0])
        let (second, _) = try await WireClient.open(server, user: users[1], device: devices[1])
        let (third, _) = try await WireClient.open(server, user: users[2], device: devices[2])
        for client in [first, second, third] {
            try await client.untilLive()
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
        }
        let comesBack = Envelope.post("back", app: "a")
        try await first.append(from: 3, [.post("lost", app: "a")])
        _ = try await first.appended()
        try await second.append(from: 3, [comesBack])
        _ = try await second.appended()
        try await onThread {
            let database = try server.database()
            defer { database.close() }
            try database.execute(TestStatement.cutEnd(keeping: 9))
        }
        // The second server's clock shows the same time, but its random step differs.
        clock.step = { 2 }
        let later = try await TestServer.start(partitions: 1, conninfo: server.conninfo, clock: clock)
        later.server.faults.set(.notifyLost, true)
        for (index, envelope) in [(2, .post("another", app: "a")), (1, comesBack)] {
            let (again, welcome) = try await WireClient.open(later, user: users[index], device: devices[index])
            #expect(welcome.lastSequence == DeviceSequence(2))
            try await again.append(from: 3, [envelope])
            #expect(try await again.appended().refused == [])
            await again.close()
        }
        // The new connection makes the server look at the heads.
        await (try? WireClient.open(server, user: .random()))?.client.close()
        _ = try await first.goAway()
        for client in [first, second, third] { await client.close() }
        for server in [server, later] { try await server.server.stop() }
    }
}
