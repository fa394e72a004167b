import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rules N18, T4 and L6 with real servers, the client library and its stores: which of a user's devices ring, and when.
@Suite("Ring once, delivered", .fewAtATime) struct RingOnceDeliveryTests {
    /// A device with its library, and what it rang for.
    private struct Device {
        var client: SyncClient
        var rung = RungAlerts()

        /// Whether the device knows what became of the notification.
        func has(_ alert: String, _ app: AppID, _ isTrue: (AlertRow) -> Bool) throws -> Bool {
            guard let row = try client.store.row(RowKey(.alerts, app: app, key: alert)) else { return false }
            return isTrue(try AlertRow(decoding: row.value))
        }
    }

    private let chat = AppID("com.example.chat")!
    private let user = UserID.random()

    private func device(
        _ server: TestServer, _ clock: TestClock, _ deviceClass: DeviceClass, _ directory: String,
        scope: Scope = .system, id: DeviceID = .random()
    ) async throws -> Device {
        let token = try TestServer.token(user, id, scope, now: clock.now, deviceClass: deviceClass)
        var configuration = SyncClientConfiguration.patient(port: server.port, token: token)
        configuration.deviceClass = deviceClass
        configuration.clock = { clock.now }
        let store = try DeviceStore(directory: "\(directory)/\(UUID())")
        let device = Device(client: try SyncClient(configuration: configuration, store: store))
        let rings = await device.client.rings()
        let rung = device.rung
        Task { for await ring in rings { await rung.add(ring.notificationID) } }
        _ = try await device.client.synchronize()
        return device
    }

    private func registered(_ agent: SyncClient) async throws {
        _ = try await agent.append(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: chat)
        _ = try await agent.append(
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: chat)
        try await agent.waitUntilAnswered()
    }

    private func post(_ id: String, from device: Device) async throws {
        _ = try await device.client.notifications.post(
            NotificationPosted(notificationID: id, title: "Anna", body: "When?"), to: chat)
        try await device.client.waitUntilAnswered()
    }

    private func logged(_ type: EventType, _ count: Int64, in server: TestServer) async throws {
        try await onThread {
            let database = try server.database()
            defer { database.close() }
            try eventually("\(type.rawValue) is logged \(count) times") {
                try database.query(TestStatement.countType, [.text(type.rawValue)]).int8(row: 0, column: 0) == count
            }
        }
    }

    private func run(
        _ body: (TestServer, TestClock, String) async throws -> Void
    ) async throws {
        let clock = try TestClock("2026-11-20T12:00:00Z")
        let state = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: state) }
        let server = try await TestServer.start(at: clock)
        do { try await body(server, clock, state) } catch {
            try await server.server.stop()
            throw error
        }
        try await server.server.stop()
    }

    @Test("N18, T4: the desktop in use rings; the others ring 30 s later, once each, if nobody has read it")
    func first() async throws {
        try await run { server, clock, state in
            // Which of the servers a device is connected to makes no difference, and one of them says what is due.
            let other = try await TestServer.start(at: clock, conninfo: server.conninfo)
            let phone = try await device(server, clock, .phone, state)
            let watch = try await device(other, clock, .watch, state)
            let desktop = try await device(other, clock, .desktop, state)
            try await registered(phone.client)
            await desktop.client.reportActivity()
            try await logged(.deviceActivity, 1, in: server)
            for id in ["unread", "read"] { try await post(id, from: phone) }
            try await awaiting("the desktop rings") { await desktop.rung.ids == ["unread", "read"] }
            for device in [phone, watch] {
                try await awaiting("the others know of it") {
                    try device.has("read", chat) { $0.othersAt != nil }
                }
                #expect(await device.rung.ids == [])
            }
            _ = try await desktop.client.notifications.markRead(["read"], of: chat)
            try await desktop.client.waitUntilAnswered()
            try clock.move(to: "2026-11-20T12:00:31Z")
            for device in [phone, watch] {
                try await awaiting("the others ring") { await device.rung.ids == ["unread"] }
            }
            // On another connection nothing rings again.
            await phone.client.reconnect()
            _ = try await phone.client.synchronize()
            try await post("late", from: watch)
            try await awaiting("the desktop rings") { await desktop.rung.ids == ["unread", "read", "late"] }
            #expect(await phone.rung.ids == ["unread"])
            try await logged(.alertRingsElsewhere, 1, in: server)
            try await other.server.stop()
            for device in [phone, watch, desktop] { await device.client.close() }
        }
    }

    @Test(
        "N9.7, N18, Z1: where the app is in front nothing rings, the app is told; unread, it rings there, then on more"
    )
    func inFront() async throws {
        try await run { server, clock, state in
            let phone = try await device(server, clock, .phone, state)
            let id = DeviceID.random()
            let desktop = try await device(server, clock, .desktop, state, id: id)
            try await registered(phone.client)
            let app = try await device(server, clock, .desktop, state, scope: .app(chat), id: id)
            await desktop.client.reportActivity()
            await app.client.reportActivity()
            try await logged(.deviceActivity, 2, in: server)
            try await post("n", from: phone)
            for device in [phone, desktop] {
                try await awaiting("they know of it") {
                    try device.has("n", chat) { $0.decision == AlertDecision(.none, .inFront) }
                }
            }
            try await app.client.wait { try $0.row(RowKey(.notifications, app: self.chat, key: "n")) != nil }
            #expect(try app.client.rows(in: .alerts).isEmpty)
            try clock.move(to: "2026-11-20T12:00:31Z")
            try await awaiting("the desktop rings") { await desktop.rung.ids == ["n"] }
            #expect(await phone.rung.ids == [])
            try clock.move(to: "2026-11-20T12:01:02Z")
            try await awaiting("the phone rings") { await phone.rung.ids == ["n"] }
            #expect(await desktop.rung.ids == ["n"])
            for device in [phone, app, desktop] { await device.client.close() }
        }
    }

    @Test("N18: a device rings for no app that it reports in front itself; the others do, and it does for what follows")
    func inFrontHere() async throws {
        try await run { server, clock, state in
            let phone = try await device(server, clock, .phone, state)
            let desktop = try await device(server, clock, .desktop, state)
            try await registered(phone.client)
            await desktop.client.reportActivity(inFront: chat)
            try await logged(.deviceActivity, 1, in: server)
            try await post("n", from: phone)
            try clock.move(to: "2026-11-20T12:00:31Z")
            try await awaiting("it is the desktop's turn") {
                try desktop.has("n", chat) { $0.rings(on: desktop.client.owner.device) }
            }
            try clock.move(to: "2026-11-20T12:01:02Z")
            try await awaiting("the phone rings") { await phone.rung.ids == ["n"] }
            await desktop.client.reportActivity()
            try await logged(.deviceActivity, 2, in: server)
            try await post("m", from: phone)
            try await awaiting("the desktop rings for this one alone") { await desktop.rung.ids == ["m"] }
            for device in [phone, desktop] { await device.client.close() }
        }
    }

    @Test("T5, L6: a device whose connection ends is out of use; one that dies with its server silences nobody either")
    func dies() async throws {
        try await run { server, clock, state in
            let other = try await TestServer.start(at: clock, conninfo: server.conninfo)
            let phone = try await device(server, clock, .phone, state)
            let desktop = try await device(other, clock, .desktop, state)
            try await registered(phone.client)
            await desktop.client.reportActivity()
            try await logged(.deviceActivity, 1, in: server)
            await desktop.client.close()
            try await logged(.deviceActivityEnded, 1, in: server)
            try await post("ended", from: phone)
            try await awaiting("the phone rings at once") { await phone.rung.ids == ["ended"] }
            let tablet = try await device(other, clock, .tablet, state)
            await tablet.client.reportActivity()
            try await logged(.deviceActivity, 2, in: server)
            // Nothing says any more that the tablet is gone.
            try await other.server.stop()
            try await post("silent", from: phone)
            try await awaiting("the phone knows of it") {
                try phone.has("silent", chat) { $0.firstDevice != nil || $0.rings(on: phone.client.owner.device) }
            }
            try clock.move(to: "2026-11-20T12:00:31Z")
            try await awaiting("the phone rings") { await phone.rung.ids == ["ended", "silent"] }
            try clock.move(to: "2026-11-20T12:04:00Z")
            try await post("later", from: phone)
            try await awaiting("the phone rings at once") { await phone.rung.ids == ["ended", "silent", "later"] }
            await tablet.client.close()
            await phone.client.close()
        }
    }
}

/// What a device rang for, in order.
private actor RungAlerts {
    private(set) var ids: [String] = []
    func add(_ id: String) { ids.append(id) }
}
