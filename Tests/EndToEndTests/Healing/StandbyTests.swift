import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Two clusters with streaming replication: the standby is promoted without the log's tail.
@Suite("Promoted standby", .fewAtATime) struct StandbyTests {
    private static let app = AppID("com.example.chat")!

    private static func posts(_ prefix: String, _ count: Int) -> [EventDraft] {
        (0..<count).map {
            EventDraft(.notificationPosted(NotificationPosted(notificationID: "\(prefix)\($0)", body: "b")), app: app)
        }
    }

    /// - Parameter livesOn: whether the server keeps running and finds the promoted standby by itself.
    @Test(
        "S6: a promoted standby that lacks the tail gets it back from devices, once; what nobody holds is listed",
        arguments: [false, true])
    func promotion(livesOn: Bool) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let primary = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place + "/primary", settings: Standby.settings)
        }
        let standby = try await onThread { try Standby.start(of: primary, in: place) }
        let conninfo = try livesOn ? Standby.either(primary, standby) : primary.conninfo
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
                // The standby may not even have the tables yet.
                (try? Standby.value("SELECT count(*)::text FROM events", standby)) == "14"
            }
            // Everything logged from here on is the tail that the standby lacks.
            try Standby.cutOff(standby)
        }
        acknowledged += try await a.with(port: server.port) {
            try await $0.append(Self.posts("a-tail", 30)).map(\.event)
        }
        acknowledged += try await b.with(port: server.port) {
            try await $0.append(Self.posts("b-tail", 30)).map(\.event)
        }
        // A device that keeps nothing of what it sent.
        let forgetful = DeviceID.random()
        let (wire, _) = try await WireClient.open(server, user: user, device: forgetful)
        try await wire.append(from: 1, (0..<4).map { .post("f\($0)", app: Self.app.rawValue) })
        _ = try await wire.appended()
        await wire.close()

        _ = kill(primary.postmasterPID, SIGKILL)
        if !livesOn { try await server.server.stop() }
        try await onThread {
            let isPromoted = try Standby.value("SELECT pg_promote()::text", standby)
            #expect(isPromoted == "true")
            let count = try Standby.value("SELECT count(*)::text FROM events", standby)
            #expect(count == "14")
        }
        if !livesOn { server = try await TestServer.start(conninfo: standby.conninfo) }
        let port = server.port
        // A device offers everything it holds, including what the log still has.
        async let healedA: Void = a.heal(37, port: port)
        async let healedB: Void = b.heal(35, port: port)
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
        for device in [a, b] {
            try await device.with(port: port) { client in
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

extension HealedDevice {
    /// Connects until the log has answered this many offered events; the rows may be the server's before that.
    fileprivate func heal(_ count: Int, port: Int) async throws {
        try await with(port: port) { client in
            await client.start()
            try await awaiting("all that it holds was offered") { self.healings.last?.events == count }
        }
    }
}
