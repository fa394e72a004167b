import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A database that takes what it is sent and says nothing.
@Suite("Silent database", .fewAtATime) struct SilentDatabaseTests {
    private let user = UserID.random()

    @Test("G1: a server stops within 10 s while its database says nothing, and acknowledges nothing")
    func stops() async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct)
        let server = try await TestServer.start(
            partitions: 2, conninfo: direct, pool: PostgresConfiguration(conninfo: proxy.conninfo)
        ) { $0.verifyInterval = .milliseconds(10) }
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        proxy.silence()
        try await client.append(from: 3, [.post("n", app: "a")])
        try await client.flush()
        let isStopped = NIOLockedValueBox(false)
        let began = ContinuousClock.now
        let stopping = Task {
            try await server.server.stop()
            isStopped.withLockedValue { $0 = true }
        }
        try await awaiting("it has stopped", within: .seconds(30)) { isStopped.withLockedValue { $0 } }
        #expect(ContinuousClock.now - began < .seconds(10))
        try await stopping.value
        let heard = await client.rest()
        #expect(!heard.contains { if case .appended = $0 { true } else { false } }, "\(heard)")
        try await proxy.stop()
    }

    /// - Parameter isWritten: the append reaches the database, and only its answer vanishes.
    @Test(
        "P1, P2, G2: an append that is never answered is looked up on another connection, and acknowledged once",
        arguments: [true, false])
    func inDoubt(isWritten: Bool) async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct)
        var pool = PostgresConfiguration(conninfo: proxy.conninfo)
        pool.silenceTimeoutMilliseconds = 1_000
        let server = try await TestServer.start(partitions: 1, conninfo: direct, pool: pool)
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        let count = {
            try await onThread {
                let database = try server.database()
                defer { database.close() }
                return try database.query(TestStatement.countEvents).int8(row: 0, column: 0)
            }
        }
        if isWritten {
            // Nothing that the server asks before may be unanswered: it would not get as far as the append.
            proxy.silence(from: "append_events")
            try await client.append(from: 3, [.post("n", app: "a")])
            try await awaiting("the append reaches the database") { try await count() == 3 }
        } else {
            proxy.silence()
            try await client.append(from: 3, [.post("n", app: "a")])
            try await client.flush()
        }
        proxy.heal()
        #expect(try await client.appended().throughSequence == DeviceSequence(3))
        #expect(try await count() == 3)
        await client.close()
        try await server.server.stop()
        try await proxy.stop()
    }

    @Test("P1, G2: an append that waits for its standby past all patience is not cancelled, and shown to nobody before")
    func waitsForItsStandby() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let cluster = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place, settings: Standby.settings)
        }
        var pool = PostgresConfiguration(conninfo: cluster.conninfo)
        pool.silenceTimeoutMilliseconds = 500
        pool.applicationName = "focusd"
        let log = KeptLog()
        let server = try await TestServer.start(partitions: 1, conninfo: cluster.conninfo, pool: pool, log: log)
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        let events = "SELECT count(*)::text FROM events WHERE type <> 'device.incarnationBegan'"
        try await onThread { try setStandby("SET synchronous_standby_names = 'nobody'", cluster, is: "nobody") }
        try await client.append(from: 3, [.post("n", app: "a")])
        try await onThread {
            let waiting = "FROM pg_stat_activity WHERE application_name = 'focusd' AND"
            try eventually("the append was given up, and another session waits for what becomes of it") {
                try Standby.value("SELECT count(*)::text \(waiting) wait_event_type = 'Lock'", cluster) == "1"
                    && Standby.value("SELECT count(*)::text \(waiting) wait_event = 'SyncRep'", cluster) == "1"
            }
            try eventually("the session that waits was given up, too, and cancelled") {
                log.messages(.warning).count { $0 == "lane lacks the database" } >= 4
            }
            #expect(try Standby.value("SELECT count(*)::text \(waiting) wait_event = 'SyncRep'", cluster) == "1")
            #expect(try Standby.value(events, cluster) == "2")
            try setStandby("RESET synchronous_standby_names", cluster, is: "")
        }
        #expect(try await client.appended().throughSequence == DeviceSequence(3))
        #expect(try await onThread { try Standby.value(events, cluster) } == "3")
        await client.close()
        try await server.server.stop()
        try await onThread { try cluster.stop() }
    }

    private func setStandby(_ change: String, _ cluster: EmbeddedCluster, is value: String) throws {
        _ = try Standby.value("ALTER SYSTEM \(change)", cluster)
        _ = try Standby.value("SELECT pg_reload_conf()::text", cluster)
        try eventually("it is in force") {
            try Standby.value("SELECT current_setting('synchronous_standby_names')", cluster) == value
        }
    }
}
