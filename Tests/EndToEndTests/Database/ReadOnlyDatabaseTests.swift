import EventStore
import FocusCore
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A primary that was demoted, and goes on answering those who are connected.
@Suite("Read-only database", .fewAtATime) struct ReadOnlyDatabaseTests {
    private let user = UserID.random()

    /// Runs `body` with a server that reaches whichever of a primary and its standby takes writes.
    private func withStandby(
        _ body: (_ primary: EmbeddedCluster, _ standby: EmbeddedCluster, _ server: TestServer) async throws -> Void
    ) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Standby.settings)
        }
        let standby = try await onThread { try Standby.start(of: primary, in: place) }
        let server = try await TestServer.start(partitions: 1, conninfo: Standby.either(primary, standby))
        try await body(primary, standby, server)
        try await server.server.stop()
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }

    /// Waits until the standby has this many events, and cuts it off.
    private static func cutOff(_ standby: EmbeddedCluster, having events: Int) throws {
        try eventually("the standby has what there is") {
            (try? Standby.value("SELECT count(*)::text FROM events", standby)) == "\(events)"
        }
        try Standby.cutOff(standby)
    }

    /// Promotes the standby. From now on the primary takes no writes, and goes on answering those who only read.
    private static func demote(_ primary: EmbeddedCluster, for standby: EmbeddedCluster) throws {
        _ = try Standby.value("SELECT pg_promote()::text", standby)
        _ = try Standby.value("ALTER SYSTEM SET default_transaction_read_only = on", primary)
        _ = try Standby.value("SELECT pg_reload_conf()::text", primary)
    }

    @Test("G2: a database that has become read-only is left for the host that takes writes")
    func demoted() async throws {
        try await withStandby { primary, standby, server in
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp("a"))
            _ = try await phone.appended()
            try await onThread {
                try Self.cutOff(standby, having: 3)
                try Self.demote(primary, for: standby)
            }
            // Whoever only listens is told of the new primary's events too: the server left without being asked to
            // append.
            let other = try await TestServer.start(conninfo: standby.conninfo, migrates: false)
            let (tablet, _) = try await WireClient.open(other, user: user)
            try await tablet.append(from: 1, [.post("n", app: "a")])
            let version = try await tablet.appended().version
            #expect(try await phone.first { delta($0, version) })
            // Who is not in memory is loaded from there too.
            let stranger = UserID.random()
            let (desktop, _) = try await WireClient.open(other, user: stranger)
            try await desktop.append(from: 1, Envelope.setUp("a"))
            let written = try await desktop.appended().version
            let (watch, _) = try await WireClient.open(server, user: stranger)
            #expect(try await watch.first { snapshotEnd($0) } == written)
            try await append([.post("m", app: "a")], from: 3, phone)
            try await other.server.stop()
        }
    }

    @Test("P10: what was logged since another server took over is found at its place, so that nothing is logged twice")
    func recalled() async throws {
        try await withStandby { primary, standby, server in
            let phone = DeviceID.random()
            let (first, _) = try await WireClient.open(server, user: user, device: phone)
            let early = Envelope.setUp("a")
            try await first.append(from: 1, early)
            _ = try await first.appended()
            // Places were looked up before, over a connection that stays open.
            #expect(try await first.recall(1, from: 1, early.map(\.id)).outcomes == early.map { _ in .accepted })
            try await onThread {
                let count = try #require(try Standby.value("SELECT count(*)::text FROM events", primary))
                try Self.cutOff(standby, having: try #require(Int(count)))
                try Self.demote(primary, for: standby)
            }
            let (second, _) = try await WireClient.open(server, user: user, device: phone, incarnation: 2)
            let late = Envelope.post("n", app: "a")
            try await append([late], from: 1, second)
            #expect(try await second.recall(2, from: 1, [late.id]).outcomes == [.accepted])
        }
    }

    @Test("G2: what a standby was promoted without is projected there, although the old primary still shows it")
    func demotedWithItsReadModel() async throws {
        try await withStandby { primary, standby, server in
            let (phone, _) = try await WireClient.open(server, user: user)
            let (isHeld, isOver) = (NIOLockedValueBox(false), NIOLockedValueBox(false))
            async let held: Void = onThread {
                let connection = try PostgresConnection(PostgresConfiguration(conninfo: primary.conninfo))
                defer { connection.close() }
                _ = try connection.query(Statement(name: "test_begin", sql: "BEGIN"))
                _ = try connection.query(Statement(name: "test_lock", sql: "SELECT FROM read_1.checkpoints FOR UPDATE"))
                isHeld.withLockedValue { $0 = true }
                try eventually("the standby is cut off") { isOver.withLockedValue { $0 } }
            }
            try await awaiting("nothing is projected") { isHeld.withLockedValue { $0 } }
            try await phone.append(from: 1, Envelope.setUp("a"))
            _ = try await phone.appended()
            try await onThread { try Self.cutOff(standby, having: 3) }
            isOver.withLockedValue { $0 = true }
            try await held
            try await onThread {
                try eventually("the old primary has the rows") { try Self.isProjected(primary) }
                #expect(try !Self.isProjected(standby))
                try Self.demote(primary, for: standby)
                try eventually("the new primary has them too") { try Self.isProjected(standby) }
            }
        }
    }

    private static func isProjected(_ cluster: EmbeddedCluster) throws -> Bool {
        try Standby.value("SELECT (sum(log_offset) = 3)::text FROM read_1.checkpoints", cluster) == "true"
    }

    /// Appends until it is answered: the server may still be about to leave.
    private func append(_ envelopes: [Envelope], from sequence: Int64, _ client: WireClient) async throws {
        var isTaken = false
        while !isTaken {
            try await client.append(from: sequence, envelopes)
            isTaken = try await client.first {
                switch $0 {
                case .appended: true
                case .error: false
                default: nil
                }
            }
        }
    }

    private func snapshotEnd(_ message: ServerMessage) -> Version? {
        if case .snapshotEnd(let cursor) = message { cursor.version } else { nil }
    }

    private func delta(_ message: ServerMessage, _ version: Version) -> Bool? {
        switch message {
        case .delta(_, _, let cursor), .deltaEnd(let cursor): cursor.version >= version ? true : nil
        default: nil
        }
    }
}
