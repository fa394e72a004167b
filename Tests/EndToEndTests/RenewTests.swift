import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import SyncServer

@Suite("Renewal, resync and slow devices over TCP", .fewAtATime) struct RenewTests {
    private let user = UserID.random()
    private let device = DeviceID.random()

    private func expiry(_ client: WireClient) async throws -> Timestamp {
        try await client.first { if case .tokenExpiry(let expiry, _) = $0 { expiry } else { nil } }
    }

    @Test("A2: after its token's end a session is sent away; what was not acknowledged is logged once in the end")
    func expired() async throws {
        // The test moves the clock to the token's end only when the events are logged, however long a loaded machine
        // takes.
        let time = ManualTime()
        let server = try await TestServer.start(clock: time.clock)
        let client = try await WireClient.connect(port: server.port)
        let events = Envelope.setUp("a")
        try await client.hello(token: TestServer.token(user, device, expiresIn: 8))
        _ = try await expiry(client)
        try await client.append(from: 1, events)
        try await onThread {
            let database = try server.database()
            defer { database.close() }
            try eventually("the events are logged") {
                try database.query(TestStatement.countEvents).int8(row: 0, column: 0) == 2
            }
        }
        time.advance(milliseconds: 600_000)
        #expect(try await client.goAway() == .tokenExpired)
        #expect(await client.isClosed())
        let (again, welcome) = try await WireClient.open(server, user: user, device: device)
        #expect(welcome.lastSequence == DeviceSequence(2))
        try await again.append(from: 1, events + [.post("n", app: "a")])
        #expect(try await again.appended().throughSequence == DeviceSequence(3))
        await again.close()
        try await server.server.stop()
    }

    @Test("A2: a client with a source of tokens goes on: in the session, after its token was refused, and later too")
    func clientRenews() async throws {
        // The wall clock stands still, so that no token expires before it is used, however long a loaded machine takes.
        let clock = try TestClock(Timestamp.now.iso)
        let token: @Sendable (Double) async throws -> String = { [user, device] seconds in
            let left = Double(clock.now.microseconds - Timestamp.now.microseconds) / 1e6 + seconds
            return try TestServer.token(user, device, expiresIn: left)
        }
        let server = try await TestServer.start(clock: clock.clock)
        let asked = NIOLockedValueBox(0)
        let expiries = NIOLockedValueBox<[Int64]>([])
        // The first token is refused; the second is about to expire, and is replaced within the session.
        var configuration = SyncClientConfiguration.patient(
            port: server.port, token: try await token(-10))
        configuration.newToken = {
            let number = asked.withLockedValue { asked in
                asked += 1
                return asked
            }
            return try await token(number == 1 ? 50 : 5_000)
        }
        configuration.onUpdate = { update in
            if case .tokenExpires(let milliseconds) = update {
                expiries.withLockedValue { $0.append(milliseconds) }
            }
        }
        let directory = NSTemporaryDirectory() + "/renew-" + UUID().uuidString
        let client = try SyncClient(configuration: configuration, store: DeviceStore(directory: directory))
        let outcomes = try await client.append([
            EventDraft(.appRegistered(AppRegistered(name: "A", build: 1)), app: AppID("a")!)
        ])
        #expect(outcomes.count == 1)
        // Before `synchronize`, which may begin another session: that one has the second token from the start.
        try await onThread {
            try eventually("the session hears of its second token") { expiries.withLockedValue { $0.count } >= 2 }
        }
        #expect(try await client.synchronize() == [])
        #expect(asked.withLockedValue { $0 } == 2)
        let seen = expiries.withLockedValue { $0 }
        #expect(seen[0] <= 50_000 && seen[1] > 4_000_000)
        // Much later the device comes back with the token that it got within the session.
        try clock.move(to: clock.now.adding(microseconds: 6_000_000_000).iso)
        await client.reconnect()
        #expect(try await client.synchronize() == [])
        #expect(asked.withLockedValue { $0 } == 3)
        await client.close()
        try FileManager.default.removeItem(atPath: directory)
        try await server.server.stop()
    }

    @Test("L2: a device that takes nothing of what waits for it is sent away; others are not disturbed")
    func slowConsumer() async throws {
        var limits = SessionLimits.patient
        limits.outgoingBytes = 64 * 1024
        limits.stalledMilliseconds = 300
        limits.heartbeatMilliseconds = 100_000
        try await TestServer.with(limits: limits) { server in
            let deaf = try await DeafClient.connect(port: server.port)
            try await deaf.hello(token: TestServer.token(user, .random()))
            let (writer, _) = try await WireClient.open(server, user: user)
            try await writer.append(from: 1, Envelope.setUp("a"))
            var sequence: Int64 = 3
            let body = String(repeating: "x", count: 8_000)
            // More than the kernel buffers for a socket that nobody reads; the server closes it meanwhile or soon
            // after.
            for round in 0..<60 {
                let posts = (0..<20).map { Envelope.post("n\(round)-\($0)", app: "a", body: body) }
                try await writer.append(from: sequence, posts)
                sequence += 20
                while try await writer.appended().throughSequence.rawValue < sequence - 1 {}
            }
            try await awaiting("the device that takes nothing is sent away") { server.server.connectionCount == 1 }
            // It is that one, and not the other.
            try await writer.append(from: sequence, [.post("n", app: "a")])
            while try await writer.appended().throughSequence.rawValue < sequence {}
            await writer.close()
            await deaf.close()
        }
    }

    @Test("S9: the client library's store heals: a wrong row, and one too many")
    func storeHeals() async throws {
        try await TestServer.with { server in
            let configuration = SyncClientConfiguration.patient(
                port: server.port, token: try TestServer.token(user, device))
            let directory = NSTemporaryDirectory() + "/heal-" + UUID().uuidString
            let store = try DeviceStore(directory: directory)
            let client = try SyncClient(configuration: configuration, store: store)
            let app = AppID("a")!
            _ = try await client.append([
                EventDraft(.appRegistered(AppRegistered(name: "A", build: 1)), app: app),
                EventDraft(
                    .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
                EventDraft(.notificationPosted(NotificationPosted(notificationID: "n", body: "b")), app: app),
            ])
            #expect(try await client.synchronize() == [])
            let (rows, cursor) = try (store.rows(), #require(try store.cursor))
            let wrong = [RowKey(.badges, app: app), RowKey(.badges, app: AppID("nobody"))].map {
                DeltaRow(key: $0, version: cursor.version, value: [0xFF])
            }
            try store.apply(wrong, cursor)
            #expect(try await client.synchronize() == [.badges])
            #expect(try store.rows() == rows && store.cursor == cursor)
            await client.close()
            try FileManager.default.removeItem(atPath: directory)
        }
    }
}
