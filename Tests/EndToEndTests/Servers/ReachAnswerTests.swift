import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import SyncServer
import Testing

/// Rules F6 and V5 over real TCP and PostgreSQL.
@Suite("Would it reach you, from end to end", .fewAtATime) struct ReachAnswerTests {
    private let app = AppID("com.example.chat")!

    private func ask(
        _ client: WireClient, _ user: UserID, _ id: UInt64 = 7, level: InterruptionLevel = .active,
        communication: Bool = false
    ) async throws -> Fetched {
        let question = ReachQuestion(user: user, app: app, level: level, isCommunication: communication)
        try await client.send(.fetch(FetchRequest(id: id, .reach(question))))
        return try await client.first { message in
            if case .fetched(let fetched) = message, fetched.request == id { fetched } else { nil }
        }
    }

    private func fetched(_ reach: Reach, _ id: UInt64 = 7) -> Fetched {
        Fetched(request: id, version: .zero, .reach(reach))
    }

    @Test("F6: a member of the audience on another server is told; strangers and unknown users' are answered alike")
    func twoServers() async throws {
        let first = try await TestServer.start()
        let second = try await TestServer.start(conninfo: first.conninfo)
        let (viewer, stranger) = (UserID.random(), UserID.random())
        let sharer = try await Sharer(second, apps: [app.rawValue], with: [viewer])
        let (client, _) = try await WireClient.open(first, user: viewer, scope: .app(app))
        #expect(try await ask(client, sharer.user) == fetched(.ringsNow))
        let step: Int64 = 15 * 60 * 1_000_000
        let end = Timestamp(microseconds: (Timestamp.now.microseconds / step + 4) * step + 1)
        let focus = FocusChanged(focusID: "work", isActive: true, endsAt: end)
        try await sharer.say([.of(.focusChanged(focus))])
        // Watch tells of the Focus, so the answer is another one as soon as this server knows.
        let told = fetched(.waits(atMost: end.adding(microseconds: step - 1)))
        try await awaiting("the first server hears of it") { try await ask(client, sharer.user) == told }
        let (other, _) = try await WireClient.open(first, user: stranger, scope: .app(app))
        for user in [sharer.user, .random(), viewer, stranger] {
            #expect(try await ask(other, user) == fetched(.untold))
        }
        #expect(try await ask(client, .random()) == fetched(.untold))
        for server in [first, second] { try await server.server.stop() }
    }

    @Test("V5: a server loads the user for a member who asks, and for nobody else")
    func loads() async throws {
        let first = try await TestServer.start()
        let (viewer, stranger) = (UserID.random(), UserID.random())
        let sharer = try await Sharer(first, apps: [app.rawValue], with: [viewer])
        // Once the read model has the user, no server has a reason of its own to load them.
        try await first.wait("the sharer's events are projected", for: TestStatement.sumCheckpoints, 5)
        let server = try await TestServer.start(conninfo: first.conninfo)
        let (other, _) = try await WireClient.open(server, user: stranger, scope: .app(app))
        let (client, _) = try await WireClient.open(server, user: viewer, scope: .app(app))
        let before = server.server.loads.loaded
        #expect(try await ask(other, sharer.user) == fetched(.untold))
        #expect(server.server.loads.loaded == before)
        #expect(try await ask(client, sharer.user, communication: true) == fetched(.ringsNow))
        #expect(server.server.loads.loaded == before + 1)
        #expect(try await ask(client, sharer.user, level: .critical) == fetched(.untold), "it lacks the capability")
        for server in [first, server] { try await server.server.stop() }
    }

    @Test("V5, Q5: what is muted shows a minute later; a question counts as a fetch")
    func minute() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(clock: time.clock)
        let viewer = UserID.random()
        let sharer = try await Sharer(server, apps: [app.rawValue], with: [viewer])
        let (client, _) = try await WireClient.open(server, user: viewer, scope: .app(app))
        #expect(try await ask(client, sharer.user) == fetched(.ringsNow))
        let end = time.wall.adding(microseconds: 3_600_000_000)
        try await sharer.say([.of(.appMuted(AppMuted(until: end)), app: app.rawValue, at: time.wall)])
        time.advance(milliseconds: 30_000)
        #expect(try await ask(client, sharer.user) == fetched(.ringsNow))
        #expect(try await ask(client, sharer.user, level: .passive) == fetched(.untold))
        time.advance(milliseconds: 30_000)
        #expect(try await ask(client, sharer.user) == fetched(.untold))
        let another = ReachQuestion(user: sharer.user, app: AppID("com.example.mail")!)
        try await client.send(.fetch(FetchRequest(id: 9, .reach(another))))
        let error = try await client.first { if case .error(let error) = $0 { error } else { nil } }
        #expect(error.code == .notFound && error.request == 9)
        try await server.server.stop()
    }

    @Test("F6: the client library and focusctl ask, as a device")
    func clients() async throws {
        let server = try await FocusdProcess()
        let viewer = FocusctlCommands(server: server, user: .random())
        let peer = FocusctlCommands(server: server, user: .random())
        let set = [
            #"{"type":"app.registered","app":"\#(app)","payload":{"name":"C","build":"1","#
                + #""capabilities":["COMMUNICATION"],"focusStatusUsageDescription":"why"}}"#,
            #"{"type":"authorization.changed","app":"\#(app)","#
                + #""payload":{"kind":"NOTIFICATIONS","status":"AUTHORIZED"}}"#,
            #"{"type":"authorization.changed","app":"\#(app)","#
                + #""payload":{"kind":"FOCUS_STATUS","status":"AUTHORIZED"}}"#,
            #"{"type":"audience.changed","app":"\#(app)","payload":{"add":["\#(viewer.user)"]}}"#,
            #"{"type":"focus.configured","payload":{"focusId":"w","name":"W","sharesStatus":true,"#
                + #""allowedPeople":["\#(viewer.user)"]}}"#,
            #"{"type":"focus.changed","payload":{"focusId":"w","isActive":true}}"#,
        ]
        _ = try await peer.succeed(
            ["append"] + (try await peer.device("peer", .random())), input: set.joined(separator: "\n"))
        let chat = try await viewer.device("viewer", .random(), .app(app))
        let question = ["fetch", "reach", peer.user.description]
        #expect(try await viewer.succeed(question + chat).lines == ["waits"])
        let json = try await viewer.succeed(question + ["--communication", "--json"] + chat).json()
        #expect(json["reach"] as? String == "ringsNow" && json["user"] as? String == peer.user.description)
        #expect(json["at"] == nil)
        #expect(try await viewer.run(question + ["--communication", "--level", "active"] + chat).exitCode == 2)
        let agent = try await viewer.device("agent", .random())
        #expect(try await viewer.run(question + agent).exitCode == 2, "a system session names the app")
        let named = ["--app", app.rawValue, "--communication"]
        #expect(try await viewer.succeed(question + named + agent).lines == ["ringsNow"])
        await server.remove()
    }
}
