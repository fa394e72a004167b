import FocusCore
import FocusSyncClient
import Foundation
import Support
import SyncServer
import Testing

/// The client library and `focusctl` against a real focusd.
@Suite("Watching and revoking, from end to end", .fewAtATime) struct WatchCommandTests {
    private let app = AppID("com.example.chat")!

    @Test("V1, A3: focusctl watch shows a peer's changes; focusctl device revoke ends it")
    func commands() async throws {
        let server = try await FocusdProcess()
        let viewer = FocusctlCommands(server: server, user: .random())
        let peer = FocusctlCommands(server: server, user: .random())
        let device = DeviceID.random()
        let agent = try await peer.device("peer", .random())
        let set = [
            ofApp(
                "app.registered",
                #"{"name":"C","build":"1","capabilities":["COMMUNICATION"],"focusStatusUsageDescription":"why"}"#),
            ofApp("authorization.changed", #"{"kind":"NOTIFICATIONS","status":"AUTHORIZED"}"#),
            ofApp("authorization.changed", #"{"kind":"FOCUS_STATUS","status":"AUTHORIZED"}"#),
            ofApp("audience.changed", #"{"add":["\#(viewer.user)"]}"#),
            #"{"type":"focus.configured","payload":{"focusId":"w","name":"W","sharesStatus":true}}"#,
        ]
        _ = try await peer.succeed(["append"] + agent, input: set.joined(separator: "\n"))
        let chat = try await viewer.device("viewer", device, .app(app))
        let watcher = try viewer.start(
            ["watch", "--user", viewer.user.description, peer.user.description, "--json"] + chat)
        defer { watcher.signal(SIGKILL) }
        #expect(await watcher.firstLine() == Self.line(peer.user, app, "notFocused"))
        _ = try await peer.succeed(
            ["append"] + agent, input: #"{"type":"focus.changed","payload":{"focusId":"w","isActive":true}}"#)
        #expect(await watcher.firstLine() == Self.line(peer.user, app, "focused"))
        // Revoking takes a system token of the device's own user.
        let revoke = ["device", "revoke", "--user", viewer.user.description, "--device", device.description]
        #expect(try await viewer.run(revoke + chat).exitCode == 1)
        #expect(try await viewer.run(revoke + agent).exitCode == 2)
        let owner = try await viewer.device("owner", .random())
        let done = try await viewer.succeed(revoke + ["--json"] + owner).json()
        #expect(done["status"] as? String == "revoked")
        #expect(await watcher.exitCode() == 1)
        await server.remove()
    }

    @Test(
        "A3: the operator revokes a device on the log itself; a running server cuts it off at once, whoever it is",
        arguments: ["--data-dir", "--database"])
    func operatorRevokes(option: String) async throws {
        let database: String? =
            try await option == "--database" ? onThread { try TestCluster.shared.makeDatabase() } : nil
        let server = try await FocusdProcess(database: database)
        let log = [option, database ?? server.directory]
        let commands = FocusctlCommands(server: server, user: .random())
        let device = DeviceID.random()
        // It has appended nothing: no device of the user could revoke it by what the log knows.
        let session = try await commands.device("lost", device)
        let lost = try commands.start(["sync", "--follow"] + session)
        defer { lost.signal(SIGKILL) }
        let revoke = [
            "device", "revoke", "--user", commands.user.description, "--device", device.description, "--json",
        ] + log
        try await awaitingConnection(of: server)
        let done = try await commands.succeed(revoke).json()
        #expect(done["status"] as? String == "revoked" && done["version"] as? Int == 1)
        #expect(await lost.exitCode() == 1)
        let again = try await commands.succeed(revoke).json()
        #expect(again["status"] as? String == "revoked" && again["version"] as? Int == 1, "it is there once")
        #expect(try await commands.run(["sync"] + session).exitCode == 1)
        // The user's stream goes on, and so do their other devices.
        let focus = #"{"type":"focus.configured","payload":{"focusId":"w","name":"W","sharesStatus":true}}"#
        _ = try await commands.succeed(["append"] + commands.device("phone", .random()), input: focus)
        let verified = try await commands.succeed(["projections", "verify", "--all"] + log)
        #expect(verified.lines.last?.hasPrefix("equal") == true)
        #expect(
            try await commands.run(revoke + ["--plaintext", "--token", "x"]).exitCode == 2, "one way or the other")
        await server.remove()
    }

    private func awaitingConnection(of server: FocusdProcess) async throws {
        try await awaiting("the device is connected") { try await server.figures()["focus_connections"] == 1 }
    }

    @Test("V1: a client hears of its peers over connections, and of no more than it may watch")
    func client() async throws {
        let server = try await TestServer.start()
        let (viewer, device) = (UserID.random(), DeviceID.random())
        let sharer = try await Sharer(server, apps: [app.rawValue], with: [viewer])
        var configuration = SyncClientConfiguration.patient(
            port: server.port, token: try TestServer.token(viewer, device, .app(app)))
        configuration.maximumAttempts = nil
        let directory = try TestDirectory.make()
        let client = try SyncClient(configuration: configuration, store: DeviceStore(directory: directory))
        var changes = try await client.watch([sharer.user]).makeAsyncIterator()
        #expect(await changes.next() == [PeerStatus(user: sharer.user, app: app, isFocused: false)])
        // A new connection watches again by itself and learns what changed meanwhile.
        await client.reconnect()
        try await sharer.say([Sharer.focus(true)])
        #expect(await changes.next() == [PeerStatus(user: sharer.user, app: app, isFocused: true)])
        await #expect(throws: SyncClientError.tooManyWatched) {
            _ = try await client.watch(Set((0..<256).map { _ in UserID.random() }))
        }
        await client.close()
        #expect(await changes.next() == nil)
        try await server.server.stop()
        try FileManager.default.removeItem(atPath: directory)
    }

    private func ofApp(_ type: String, _ payload: String) -> String {
        #"{"type":"\#(type)","app":"\#(app)","payload":\#(payload)}"#
    }

    private static func line(_ user: UserID, _ app: AppID, _ status: String) -> String {
        #"{"user":"\#(user)","app":"\#(app)","status":"\#(status)"}"#
    }
}
