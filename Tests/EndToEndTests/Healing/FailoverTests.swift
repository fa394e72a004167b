import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A standby takes over that has the whole log and lacks the last changes of the read model.
@Suite("Read model after a failover", .fewAtATime) struct FailoverTests {
    private static func shown(_ user: UserID, _ cluster: EmbeddedCluster) throws -> String? {
        try Standby.value("SELECT version::text FROM read_1.users WHERE user_id = '\(user)'", cluster)
    }

    private static func checkpoint(_ cluster: EmbeddedCluster) throws -> String? {
        try Standby.value("SELECT log_offset::text FROM read_1.checkpoints", cluster)
    }

    @Test("T1: what was written to the read model, and is lost with the primary, is written again")
    func lostRows() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Standby.settings)
        }
        // Another user's rows are broken for a while: they lag behind the checkpoint.
        let (user, broken) = (UserID.random(), UserID.random())
        try await prepare(primary, user, broken)
        let standby = try await onThread { try Standby.start(of: primary, in: place) }
        let time = ManualTime()
        let server = try await TestServer.start(
            conninfo: Standby.either(primary, standby), clock: time.clock)
        let (phone, _) = try await WireClient.open(server, user: user)
        try await phone.append(from: 1, [.post("n", app: "a")])
        #expect(try await phone.appended().version == Version(5))
        try await onThread {
            try eventually("the standby has the log") {
                try Standby.value("SELECT count(*)::text FROM events", standby) == "9"
            }
            try Standby.cutOff(standby)
            try eventually("the read model got it") {
                time.advance(milliseconds: 300)
                return try Self.shown(user, primary) == "5"
            }
            #expect(try Self.checkpoint(primary) == "9")
            _ = kill(primary.postmasterPID, SIGKILL)
            #expect(try Standby.value("SELECT pg_promote()::text", standby) == "true")
            #expect(try Self.checkpoint(standby) != "9")
            #expect(try Self.shown(user, standby) == "3")
            let owner = try PostgresConnection(PostgresConfiguration(conninfo: standby.conninfo))
            try owner.execute(TestStatement.mendDevices(broken))
            owner.close()
            try eventually("the checkpoint moves again") {
                time.advance(milliseconds: 300)
                return try Self.checkpoint(standby) == "9"
            }
            #expect(try Self.shown(user, standby) == "5")
        }
        await phone.close()
        try await server.server.stop()
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }

    /// Logs three events of each user, all of them projected, and one more of the broken user, which is not.
    private func prepare(_ primary: EmbeddedCluster, _ user: UserID, _ broken: UserID) async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, conninfo: primary.conninfo, clock: time.clock)
        let (one, _) = try await WireClient.open(server, user: user)
        let (two, _) = try await WireClient.open(server, user: broken)
        for client in [one, two] {
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
        }
        try await onThread {
            try eventually("the read model has it") {
                time.advance(milliseconds: 300)
                return try Self.checkpoint(primary) == "6"
            }
        }
        // Blocks projections until the server has stopped. nonisolated(unsafe): this thread creates it, and the thread
        // that closes it starts afterwards.
        nonisolated(unsafe) let other = try PostgresConnection(PostgresConfiguration(conninfo: primary.conninfo))
        try other.execute("BEGIN; SELECT 1 FROM read_1.checkpoints FOR UPDATE")
        try await two.append(from: 3, [.post("n", app: "a")])
        _ = try await two.appended()
        await one.close()
        await two.close()
        try await server.server.stop()
        try await onThread {
            other.close()
            #expect(try Self.checkpoint(primary) == "6")
            let owner = try PostgresConnection(PostgresConfiguration(conninfo: primary.conninfo))
            try owner.execute(TestStatement.breakDevices(broken))
            owner.close()
        }
    }
}
