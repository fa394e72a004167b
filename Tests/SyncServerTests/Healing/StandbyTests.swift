import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Two clusters with streaming replication: the standby is promoted without the tail.
@Suite("Promoted standby", .fewAtATime) struct StandbyTests {
    private static let app = AppID("com.example.chat")!

    private static func posts(_ prefix: String, _ count: Int) -> [EventDraft] {
        (0..<count).map {
            EventDraft(.notificationPosted(NotificationPosted(notificationID: "\(prefix)\($0)", body: "b")), app: app)
        }
    }

    private static var settings: EmbeddedClusterSettings {
        var settings = EmbeddedClusterSettings()
        settings.isDurable = false
        settings.overrides = ["shared_buffers": "32MB", "max_wal_size": "256MB"]
        return settings
    }

    /// A standby that streams from the primary, asynchronously.
    private static func standby(of primary: EmbeddedCluster, in place: String) throws -> EmbeddedCluster {
        let backup = try BaseBackup.take(conninfo: primary.conninfo, to: place + "/base", settings: settings)
        try backup.restore(dataDirectory: place + "/standby")
        let cluster = place + "/standby/postgres"
        let owner = try FileManager.default.attributesOfItem(atPath: cluster)[.ownerAccountID] as? Int ?? 0
        let signal = cluster + "/standby.signal"
        _ = FileManager.default.createFile(atPath: signal, contents: Data())
        chown(signal, uid_t(owner), gid_t(owner))
        let source = primary.conninfo.replacingOccurrences(of: "'", with: "''")
        try "primary_conninfo = '\(source)'\n".write(
            toFile: place + "/standby/custom.conf", atomically: true, encoding: .utf8)
        chmod(place + "/standby/custom.conf", 0o644)
        return try EmbeddedCluster.start(dataDirectory: place + "/standby", settings: settings)
    }

    private static func value(_ sql: String, _ cluster: EmbeddedCluster) throws -> String? {
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: cluster.conninfo))
        defer { connection.close() }
        let result = try connection.query(Statement(name: "test_value", sql: sql))
        return result.rowCount == 0 ? nil : try result.text(row: 0, column: 0)
    }

    /// Whichever of the two takes writes.
    private static func either(_ one: EmbeddedCluster, _ other: EmbeddedCluster) throws -> String {
        let values = { (name: String) in
            try [one, other].map { cluster in
                let rest = try #require(cluster.conninfo.split(separator: "\(name)='").last)
                return String(rest.prefix { $0 != "'" })
            }
        }
        let hosts = try (values("host").joined(separator: ","), values("port").joined(separator: ","))
        let (user, database) = try (values("user")[0], values("dbname")[0])
        return """
            host='\(hosts.0)' port='\(hosts.1)' user='\(user)' dbname='\(database)' target_session_attrs=read-write
            """
    }

    /// - Parameter livesOn: the server is not started anew, and meets the promoted standby by itself.
    @Test(
        "S6: a promoted standby that lacks the tail gets it back from devices, once; what nobody holds is listed",
        arguments: [false, true])
    func promotion(livesOn: Bool) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Self.settings)
        }
        let standby = try await onThread { try Self.standby(of: primary, in: place) }
        let conninfo = try livesOn ? Self.either(primary, standby) : primary.conninfo
        var server = try await TestServer.start(partitions: 2, conninfo: conninfo)
        let user = UserID.random()
        let (a, b) = (
            HealedDevice(user: user, scope: .system, directory: place + "/a"),
            HealedDevice(user: user, scope: .system, directory: place + "/b")
        )
        let setUp = [
            EventDraft(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: Self.app),
            EventDraft(
                .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: Self.app),
        ]
        var acknowledged = try await a.with(port: server.port) {
            try await $0.append(setUp + Self.posts("a", 5)).map(\.event)
        }
        acknowledged += try await b.with(port: server.port) { try await $0.append(Self.posts("b", 5)).map(\.event) }
        try await onThread {
            try eventually("the standby has what there is") {
                // It may lack even the tables.
                (try? Self.value("SELECT count(*)::text FROM events", standby)) == "14"
            }
            // The standby hears no more: what follows is the tail that it lacks.
            _ = try Self.value("ALTER SYSTEM SET primary_conninfo = ''", standby)
            _ = try Self.value("SELECT pg_reload_conf()::text", standby)
            try eventually("the standby is cut off") {
                try Self.value("SELECT count(*)::text FROM pg_stat_wal_receiver", standby) == "0"
            }
        }
        acknowledged += try await a.with(port: server.port) {
            try await $0.append(Self.posts("a-tail", 30)).map(\.event)
        }
        acknowledged += try await b.with(port: server.port) {
            try await $0.append(Self.posts("b-tail", 30)).map(\.event)
        }
        // A device that keeps nothing.
        let forgetful = DeviceID.random()
        let (wire, _) = try await WireClient.open(server, user: user, device: forgetful)
        try await wire.append(from: 1, (0..<4).map { .post("f\($0)", app: Self.app.rawValue) })
        _ = try await wire.appended()
        await wire.close()

        _ = kill(primary.postmasterPID, SIGKILL)
        if !livesOn { try await server.server.stop() }
        try await onThread {
            let isPromoted = try Self.value("SELECT pg_promote()::text", standby)
            #expect(isPromoted == "true")
            let count = try Self.value("SELECT count(*)::text FROM events", standby)
            #expect(count == "14")
        }
        if !livesOn { server = try await TestServer.start(conninfo: standby.conninfo) }
        let port = server.port
        async let healedA: Void = a.synchronize(port: port)
        async let healedB: Void = b.synchronize(port: port)
        _ = try await (healedA, healedB)
        let (again, welcome) = try await WireClient.open(server, user: user, device: forgetful)
        #expect(welcome.lastSequence == .zero)
        try await again.send(
            .heal(.lost(LostEvents(incarnation: Incarnation(1), first: DeviceSequence(1), last: DeviceSequence(4)))))
        #expect(try await again.appended().throughSequence == DeviceSequence(4))
        await again.close()

        let promoted = server
        let events = try await onThread { try promoted.events(of: user) }
        var state = UserState(user: user)
        for event in events { _ = try state.apply(event.decoded()) }
        let itself = events.filter { $0.device != .server && $0.type != EventType.deviceEventsLost.rawValue }.map(\.id)
        #expect(itself.count == acknowledged.count && Set(itself) == Set(acknowledged))
        // Everything that they hold is offered, also what the log has.
        for (device, held) in [(a, 37), (b, 35)] {
            try await device.with(port: port) { client in
                try await awaiting("all that it holds was offered") { device.healings.last?.events == held }
                let differing = try await client.synchronize()
                #expect(differing == [])
                try device.expectRows(client, equal: state)
            }
        }
        let lost = try ChildProcess(
            FocusdProcess.binary("focusctl"), ["lost", "--database", standby.conninfo], input: "/dev/null")
        let output = await lost.rest()
        #expect(await lost.exitCode() == 0)
        #expect(output.contains("\(forgetful)") && output.contains("4 events are lost."), "\(output)")
        try await server.server.stop()
        try await onThread {
            try standby.stop()
            try primary.stop()
        }
    }
}
