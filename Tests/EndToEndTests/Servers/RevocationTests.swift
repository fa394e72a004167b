import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore
@testable import SyncServer

@Suite("Revocation", .fewAtATime) struct RevocationTests {
    private let app = "com.example.chat"

    private func revoke(_ device: DeviceID) -> Envelope { .of(.deviceRevoked(DeviceRevoked(device: device))) }

    @Test("A3: a revoked device is cut off on every server within its poll, learns nothing more, and is let in nowhere")
    func everywhere() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 2, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        second.server.faults.set(.notifyLost, true)
        let (user, lost) = (UserID.random(), DeviceID.random())
        let (agent, _) = try await WireClient.open(first, user: user, device: lost)
        let (chat, _) = try await WireClient.open(
            first, user: user, device: lost, scope: .app(AppID(app)!), incarnation: 2)
        let (bystander, _) = try await WireClient.open(first, user: user)
        for client in [agent, chat, bystander] { try await client.untilLive() }
        let (owner, _) = try await WireClient.open(second, user: user)
        try await owner.append(from: 1, Envelope.setUp(app) + [revoke(lost), .post("secret", app: app)])
        let version = try await owner.appended().version
        time.advance(milliseconds: 250)
        for client in [agent, chat] {
            let heard = await client.rest().filter { if case .checkpoint = $0 { false } else { true } }
            guard case .goAway(let goAway)? = heard.first, heard.count == 1 else {
                Issue.record("heard \(heard)")
                continue
            }
            #expect(goAway.code == .unauthenticated)
        }
        #expect(try await bystander.deltaVersion() == version)
        for server in [first, second] {
            var errors: [ProtocolError] = []
            for token in [try TestServer.token(user, lost), "no token"] {
                let client = try await WireClient.connect(port: server.port)
                try await client.hello(token: token)
                errors.append(try await client.error())
                #expect(await client.isClosed())
            }
            #expect(errors == [.deviceRevoked, .tokenNotAccepted])
            try await server.server.stop()
        }
    }

    @Test("A3: a device that was revoked erases what it holds of its user, also if it comes back later, and shows it")
    func erases() async throws {
        try await TestServer.with(partitions: 1) { server in
            let (user, place) = (UserID.random(), try TestDirectory.make())
            defer { try? FileManager.default.removeItem(atPath: place) }
            let (owner, _) = try await WireClient.open(server, user: user)
            let secret = "secret-\(UUID())"
            try await owner.append(from: 1, Envelope.setUp(app) + [.post(secret, app: app)])
            _ = try await owner.appended()
            for isConnected in [true, false] {
                let (device, directory) = (DeviceID.random(), "\(place)/\(isConnected)")
                let store = try DeviceStore(directory: directory)
                let configuration = SyncClientConfiguration(
                    server: ServerAddress(host: "127.0.0.1", port: server.port), security: .plaintext,
                    token: try TestServer.token(user, device))
                let client = try SyncClient(configuration: configuration, store: store)
                try await client.synchronize()
                #expect(try client.rows(in: .notifications).map(\.key.key) == [secret])
                if !isConnected { await client.close() }
                try await owner.append(from: isConnected ? 4 : 5, [revoke(device)])
                _ = try await owner.appended()
                let doomed = isConnected ? client : try SyncClient(configuration: configuration, store: store)
                if !isConnected { try await doomed.enqueue([EventDraft(.badgeCleared, app: AppID(app))]) }
                await doomed.start()
                await #expect(throws: SyncClientError.revoked) { try await doomed.waitUntilStopped() }
                #expect(try store.rows().isEmpty && store.owner == nil && store.cursor == nil && !store.hasQueued)
                await doomed.close()
                try store.close()
                for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
                    #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name) still holds it")
                }
            }
        }
    }

    @Test("A3: the operator is never refused, also when the user's devices may revoke no more that were never seen")
    func operatorPastTheBound() async throws {
        try await TestServer.with(partitions: 1) { server in
            let (user, lost, limit) = (UserID.random(), DeviceID.random(), EventLimits.revokedUnseenDevices)
            let (owner, _) = try await WireClient.open(server, user: user)
            try await owner.append(from: 1, (0..<limit).map { _ in revoke(.random()) })
            #expect(try await owner.appended().refused == [])
            try await owner.append(from: Int64(limit + 1), [revoke(lost)])
            let refused = try await owner.appended()
            #expect(refused.refused.map(\.code) == ["too_many"])
            let version = Int(refused.version.next.rawValue)
            // The second time it is found behind a page of others.
            #expect(OperatorRevocation.pageEvents <= limit)
            for _ in 1...2 {
                let done = try await operatorRevokes(lost, of: user, in: server)
                #expect(done["status"] as? String == "revoked" && done["version"] as? Int == version)
            }
            // What is appended from now on stands behind the revocation, which the server has read then.
            try await owner.append(from: Int64(limit + 2), Envelope.setUp(app))
            #expect(try await owner.appended().refused == [])
            let client = try await WireClient.connect(port: server.port)
            try await client.hello(token: TestServer.token(user, lost))
            #expect(try await client.error() == .deviceRevoked)
        }
    }

    /// What `focusctl device revoke` says, as JSON.
    private func operatorRevokes(
        _ device: DeviceID, of user: UserID, in server: TestServer
    ) async throws -> [String: Any] {
        let command = try ChildProcess(
            FocusdProcess.binary("focusctl"),
            [
                "device", "revoke", "--user", "\(user)", "--device", "\(device)", "--database", server.conninfo,
                "--json",
            ], input: "/dev/null")
        let output = await command.rest()
        let result = FocusctlCommands.Result(exitCode: await command.exitCode(), output: output)
        #expect(result.exitCode == 0, "\(output)")
        return try result.json()
    }

    @Test("A3: what a device has under way when it is revoked is not logged")
    func pending() async throws {
        try await TestServer.with(partitions: 1) { server in
            let (user, lost) = (UserID.random(), DeviceID.random())
            let (owner, _) = try await WireClient.open(server, user: user)
            let (device, _) = try await WireClient.open(server, user: user, device: lost)
            let (stranger, _) = try await WireClient.open(server, user: .random())
            try await device.untilLive()
            let database = try await onThread { try HeldDatabase(server.database()) }
            try await onThread { try database.hold() }
            try await stranger.append(from: 1, Envelope.setUp(app))
            try await onThread { try database.wait(for: 1) }
            // Both wait for the statement under way and go into the next one together.
            try await owner.append(from: 1, [revoke(lost)])
            try await owner.flush()
            try await device.append(from: 1, Envelope.setUp(app))
            try await device.flush()
            try await onThread { try database.release() }
            #expect(try await owner.appended().version == Version(2))
            let heard = await device.rest()
            #expect(heard.count == 1, "\(heard)")
            if case .goAway(let goAway)? = heard.first { #expect(goAway.code == .unauthenticated) }
            let count = try await onThread { try database.countEvents() }
            #expect(count == 3, "the stranger's two and the revocation")
        }
    }

    /// - Parameter isSuperseded: the device has connected again, and the old connection only waits for its rows to
    ///   leave (rule P8).
    @Test("A3: a slow device that is revoked does not even get what waits for it", arguments: [false, true])
    func slow(isSuperseded: Bool) async throws {
        try await TestServer.with(partitions: 1) { server in
            let (user, lost) = (UserID.random(), DeviceID.random())
            let (owner, _) = try await WireClient.open(server, user: user)
            try await owner.append(from: 1, Envelope.setUp(app))
            let text = String(repeating: "x", count: 16_000)
            for index in 0..<20 {
                let posts = (0..<40).map { Envelope.post("\(index)-\($0)", app: app, body: text) }
                try await owner.append(from: Int64(3 + index * 40), posts)
            }
            var through = DeviceSequence.zero
            while through < DeviceSequence(802) { through = try await owner.appended().throughSequence }
            // Nothing may wait for any other device.
            while try await owner.deltaVersion() < Version(802) {}
            let deaf = try await DeafClient.connect(port: server.port)
            try await deaf.hello(token: try TestServer.token(user, lost))
            try await onThread {
                var (last, looks) = (0, 0)
                // The kernel's buffers grow for a while, and take part of a page.
                try eventually("rows wait, and none is taken any more") {
                    let queued = server.server.queuedBytes.max() ?? 0
                    looks = queued == last && queued > 100_000 ? looks + 1 : 0
                    last = queued
                    return looks == 100
                }
            }
            if isSuperseded { _ = try await WireClient.open(server, user: user, device: lost) }
            try await owner.append(from: 803, [revoke(lost)])
            _ = try await owner.appended()
            if !isSuperseded {
                try await onThread { try eventually("it is gone") { server.server.connectionCount == 1 } }
            }
            try await deaf.listen()
            var rows = 0
            // The bytes that the kernel had accepted before; the connection may end in the middle of a frame.
            while let message = try? await deaf.next() {
                if case .snapshotRows(let some) = message { rows += some.count }
                if case .snapshotEnd = message { Issue.record("it got everything") }
                if case .goAway = message { Issue.record("GoAway came after rows that had waited") }
            }
            #expect(rows < 800)
        }
    }
}

/// A connection that holds up the servers' appends. One thread at a time uses it.
// @unchecked: only one thread at a time uses it.
final class HeldDatabase: @unchecked Sendable {
    private let connection: PostgresConnection
    private let watcher: PostgresConnection

    init(_ connection: PostgresConnection) throws {
        self.connection = connection
        watcher = try PostgresConnection(connection.configuration)
    }

    func hold() throws {
        try connection.execute("BEGIN")
        _ = try connection.query(TestStatement.lockPartitions)
    }

    /// Waits until this many appends wait.
    func wait(for count: Int64) throws {
        try eventually("\(count) appends wait") {
            try watcher.query(TestStatement.countWaiting).int8(row: 0, column: 0) == count
        }
    }

    func release() throws { try connection.execute("ROLLBACK") }

    func countEvents() throws -> Int64 { try watcher.query(TestStatement.countEvents).int8(row: 0, column: 0) }
}
