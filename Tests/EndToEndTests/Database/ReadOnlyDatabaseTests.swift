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

    @Test("G2: a database that has become read-only is left for the host that takes writes")
    func demoted() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Standby.settings)
        }
        let standby = try await onThread { try Standby.start(of: primary, in: place) }
        let server = try await TestServer.start(partitions: 1, conninfo: Standby.either(primary, standby))
        let (phone, _) = try await WireClient.open(server, user: user)
        try await phone.append(from: 1, Envelope.setUp("a"))
        _ = try await phone.appended()
        try await onThread {
            try eventually("the standby has what there is") {
                (try? Standby.value("SELECT count(*)::text FROM events", standby)) == "3"
            }
            try Standby.cutOff(standby)
            _ = try Standby.value("SELECT pg_promote()::text", standby)
            _ = try Standby.value("ALTER SYSTEM SET default_transaction_read_only = on", primary)
            _ = try Standby.value("SELECT pg_reload_conf()::text", primary)
        }
        // Whoever only listens is told of the new primary's events too: the server left without being asked to append.
        let other = try await TestServer.start(conninfo: standby.conninfo, migrates: false)
        let (tablet, _) = try await WireClient.open(other, user: user)
        try await tablet.append(from: 1, [.post("n", app: "a")])
        let version = try await tablet.appended().version
        #expect(try await phone.first { delta($0, version) })
        // Who is not in memory is loaded from there too: the old primary goes on answering whoever only reads.
        let stranger = UserID.random()
        let (desktop, _) = try await WireClient.open(other, user: stranger)
        try await desktop.append(from: 1, Envelope.setUp("a"))
        let written = try await desktop.appended().version
        let (watch, _) = try await WireClient.open(server, user: stranger)
        #expect(
            try await watch.first { if case .snapshotEnd(let cursor) = $0 { cursor.version == written } else { nil } })
        try await phone.append(from: 3, [.post("m", app: "a")])
        var isTaken = false
        while !isTaken {
            isTaken = try await phone.first {
                switch $0 {
                case .appended: true
                case .error: false
                default: nil
                }
            }
            if !isTaken { try await phone.append(from: 3, [.post("m", app: "a")]) }
        }
        for server in [server, other] { try await server.server.stop() }
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }

    @Test("G2: what a standby was promoted without is projected there, although the old primary still shows it")
    func demotedWithItsReadModel() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Standby.settings)
        }
        let standby = try await onThread { try Standby.start(of: primary, in: place) }
        let server = try await TestServer.start(partitions: 1, conninfo: Standby.either(primary, standby))
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
        try await onThread {
            try eventually("the standby has the events") {
                (try? Standby.value("SELECT count(*)::text FROM events", standby)) == "3"
            }
            try Standby.cutOff(standby)
        }
        isOver.withLockedValue { $0 = true }
        try await held
        try await onThread {
            try eventually("the old primary has the rows") { try Self.isProjected(primary) }
            #expect(try !Self.isProjected(standby))
            _ = try Standby.value("SELECT pg_promote()::text", standby)
            _ = try Standby.value("ALTER SYSTEM SET default_transaction_read_only = on", primary)
            _ = try Standby.value("SELECT pg_reload_conf()::text", primary)
            try eventually("the new primary has them too") { try Self.isProjected(standby) }
        }
        try await server.server.stop()
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }

    private static func isProjected(_ cluster: EmbeddedCluster) throws -> Bool {
        try Standby.value("SELECT (sum(log_offset) = 3)::text FROM read_1.checkpoints", cluster) == "true"
    }

    private func delta(_ message: ServerMessage, _ version: Version) -> Bool? {
        switch message {
        case .delta(_, _, let cursor), .deltaEnd(let cursor): cursor.version >= version ? true : nil
        default: nil
        }
    }
}
