import EventStore
import FocusCore
import FocusWire
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// PostgreSQL with a synchronous standby: nobody sees a transaction that waits for the standby, until a crash ends the
/// wait. Then everybody sees it, although the standby may lack it.
@Suite("Answers with a synchronous standby", .fewAtATime) struct ConfirmedAnswerTests {
    /// What a device sends, gets no answer to, and sends again.
    enum Sent: CaseIterable {
        case event, loss
        /// A Recall of an event that the log does not hold; the standby lacks the end of the incarnation.
        case recall
    }

    private static let waits = """
        SELECT count(*)::text FROM pg_stat_activity
        WHERE wait_event = 'SyncRep' AND application_name <> 'focusd-heartbeat'
        """
    private static let device = DeviceID.random()

    private func message(_ sent: Sent, _ envelope: Envelope) -> ClientMessage {
        switch sent {
        case .event: .append(AppendRequest(firstSequence: DeviceSequence(4), envelopes: [envelope]))
        case .loss:
            .heal(.lost(LostEvents(incarnation: Incarnation(1), first: DeviceSequence(4), last: DeviceSequence(4))))
        case .recall:
            .recall(Recall(incarnation: Incarnation(1), firstSequence: DeviceSequence(4), events: [envelope.id]))
        }
    }

    private func answer(_ client: WireClient) async throws -> ServerMessage {
        try await client.first { message in
            switch message {
            case .appended, .recalled: message
            default: nil
            }
        }
    }

    /// - Parameter startsLater: whether the server that is asked again starts only after the event was first sent.
    @Test(
        "P1: what is sent again is acknowledged when the standby has it, and not because it can be read",
        arguments: Sent.allCases, [false, true])
    func sentAgain(sent: Sent, startsLater: Bool) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let user = UserID.random()
        let (primary, standby) = try await makePair(user, in: place)
        try await onThread { try Standby.makeSynchronous(primary) }
        let conninfo = try Standby.either(primary, standby)
        let one = try await TestServer.start(conninfo: conninfo, migrates: false)
        var two = startsLater ? nil : try await TestServer.start(conninfo: conninfo, migrates: false)
        let (phone, _) = try await open(one, user)
        try await phone.append(from: 3, [.post("n", app: "a")])
        #expect(try await phone.appended().throughSequence == DeviceSequence(3))

        // The standby is cut off. The commit waits, its device leaves, and PostgreSQL dies.
        let envelope = Envelope.post("m", app: "a")
        try await onThread { try Standby.cutOff(standby) }
        try await phone.send(message(sent, envelope))
        try await onThread {
            try eventually("the commit waits") { try Standby.value(Self.waits, primary) == "1" }
        }
        await phone.close()
        try await awaiting("the server hears of it") { one.server.connectionCount == 0 }
        try await onThread {
            let pid = try Standby.value("SELECT pid::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'", primary)
            _ = kill(try #require(pid.flatMap { Int32($0) }), SIGKILL)
            try eventually("PostgreSQL has recovered") {
                // PostgreSQL refuses connections while it recovers.
                (try? Standby.value("SELECT count(*)::text FROM events", primary)) == "5"
            }
        }
        if startsLater { two = try await TestServer.start(conninfo: conninfo, migrates: false) }
        let second = try #require(two)
        let (again, welcome) = try await open(second, user)
        #expect(welcome.lastSequence == DeviceSequence(sent == .recall ? 3 : 4))
        #expect(welcome.isEnded == (sent == .recall))
        try await again.send(message(sent, envelope))
        let isAcknowledged = NIOLockedValueBox(false)
        let listener = Task {
            _ = try await answer(again)
            isAcknowledged.withLockedValue { $0 = true }
        }
        try await onThread {
            try eventually("the second server answers, or waits for the standby") {
                let isWaiting = try Standby.value(Self.waits + " AND query LIKE '%emit_message%'", primary) == "1"
                return isWaiting || isAcknowledged.withLockedValue { $0 }
            }
            _ = kill(primary.postmasterPID, SIGKILL)
            #expect(try Standby.value("SELECT pg_promote()::text", standby) == "true")
        }
        let isInLog = try await onThread { try Standby.value("SELECT count(*)::text FROM events", standby) == "5" }
        #expect(!isInLog && !isAcknowledged.withLockedValue { $0 }, "acknowledged, and the log lacks it")
        listener.cancel()
        await again.close()

        let (last, behind) = try await open(second, user)
        #expect(behind.lastSequence == DeviceSequence(3) && !behind.isEnded)
        try await last.send(message(sent, envelope))
        switch try await answer(last) {
        case .appended(let appended): #expect(appended.throughSequence == DeviceSequence(4))
        case .recalled(let recalled): #expect(recalled.outcomes == [nil])
        case let other: Issue.record("\(other)")
        }
        let count = try await onThread { try Standby.value("SELECT count(*)::text FROM events", standby) }
        #expect(count == "5")
        await last.close()
        for server in [one, second] { try await server.server.stop() }
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }

    /// How the device's Hello is refused.
    private func refusal(of device: DeviceID, _ user: UserID, _ server: TestServer) async throws -> ErrorCode {
        let client = try await WireClient.connect(port: server.port)
        try await client.hello(token: TestServer.token(user, device))
        return try await client.error().code
    }

    @Test(
        "A3: a primary that cannot reach its synchronous standby may be none any more: nothing of it is news until it can"
    )
    func isolated() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let user = UserID.random()
        let (primary, standby) = try await makePair(user, in: place)
        let server = try await TestServer.start(conninfo: primary.conninfo)
        let vouches = { server.server.primary.vouches(within: 1_000) }
        try await awaiting("commits wait for nobody, and nothing is in doubt") { vouches() }
        try await onThread { try Standby.makeSynchronous(primary) }
        let (before, _) = try await open(server, user)
        try await before.untilLive()
        let lost = DeviceID.random()
        try await before.append(from: 3, [.of(.deviceRevoked(DeviceRevoked(device: lost)))])
        _ = try await before.appended()
        await before.close()
        try await onThread { try Standby.cutOff(standby) }
        try await awaiting("nobody vouches for the primary") { !vouches() }
        #expect(
            try await refusal(of: lost, user, server) == .unavailable, "where the log goes on it may not be revoked")

        let (tablet, _) = try await WireClient.open(server, user: user)
        // The lane says this Welcome in a later turn than the one in which it would have sent the tablet's rows; the
        // pong that the tablet asks for then comes behind them.
        let (watch, _) = try await WireClient.open(server, user: user)
        #expect(try await tablet.flush() == [], "it may be revoked where the log goes on")
        await watch.close()
        try await onThread { try Standby.reconnect(standby) }
        try await tablet.untilLive()
        await tablet.close()
        // On a loaded machine the primary may be out of confirmation again for a moment.
        try await awaiting("the device is told") { try await refusal(of: lost, user, server) == .revoked }
        // A commit that waits must not keep the server from stopping.
        try await onThread { try Standby.cutOff(standby) }
        try await awaiting("nobody vouches for the primary") { !vouches() }
        try await server.server.stop()
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }

    @Test("P1: where no commit comes through, what is in the log already is not acknowledged, and is to be sent again")
    func nothingComesThrough() async throws {
        let user = UserID.random()
        let first = try await TestServer.start(partitions: 1)
        let (phone, _) = try await open(first, user)
        let events = Envelope.setUp("a")
        try await phone.append(from: 1, events)
        _ = try await phone.appended()
        await phone.close()
        // This server has committed nothing of its own.
        let second = try await TestServer.start(conninfo: first.conninfo)
        try await onThread { try mayConfirm(false, first) }
        let (again, _) = try await open(second, user)
        try await again.append(from: 1, events)
        let code = try await again.first { message -> ErrorCode? in
            switch message {
            case .error(let error): error.code
            case .appended: .internal
            default: nil
            }
        }
        #expect(code == .unavailable)
        try await onThread { try mayConfirm(true, first) }
        try await again.append(from: 1, events)
        #expect(try await again.appended().throughSequence == DeviceSequence(2))
        await again.close()
        for server in [first, second] { try await server.server.stop() }
    }

    private func mayConfirm(_ mayConfirm: Bool, _ server: TestServer) throws {
        let database = try server.database()
        defer { database.close() }
        try database.execute(TestStatement.mayConfirm(mayConfirm))
    }

    /// A primary whose log has three events of the user, and an asynchronous standby.
    private func makePair(_ user: UserID, in place: String) async throws -> (EmbeddedCluster, EmbeddedCluster) {
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Standby.settings)
        }
        try await prepare(primary, user)
        return (primary, try await onThread { try Standby.start(of: primary, in: place) })
    }

    private func open(_ server: TestServer, _ user: UserID) async throws -> (WireClient, Welcome) {
        try await WireClient.open(server, user: user, device: Self.device)
    }

    private func prepare(_ primary: EmbeddedCluster, _ user: UserID) async throws {
        let server = try await TestServer.start(partitions: 1, conninfo: primary.conninfo)
        let (phone, _) = try await open(server, user)
        try await phone.append(from: 1, Envelope.setUp("a"))
        _ = try await phone.appended()
        await phone.close()
        try await server.server.stop()
    }
}
