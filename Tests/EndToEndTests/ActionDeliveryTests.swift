import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

/// Rule N20 with the client library and real stores: what is done with an app's notifications reaches the app.
@Suite("Action delivery", .fewAtATime) struct ActionDeliveryTests {
    private static let chat = AppID("com.example.chat")

    /// A client of a new store.
    private static func client(
        _ server: TestServer, _ user: UserID, _ scope: Scope, _ directory: String
    ) throws -> SyncClient {
        let token = try TestServer.token(user, .random(), scope)
        return try SyncClient(
            configuration: .patient(port: server.port, token: token), store: DeviceStore(directory: directory))
    }

    private static func registered(_ agent: SyncClient, _ chat: AppID) async throws {
        _ = try await agent.append(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: chat)
        _ = try await agent.append(
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: chat)
        let actions = [
            NotificationAction(id: "reply", title: "Reply", textInput: true),
            NotificationAction(id: "snooze", title: "Snooze"),
        ]
        _ = try await agent.actions.register([NotificationCategory(id: "message", actions: actions)], of: chat)
        try await agent.waitUntilAnswered()
    }

    @Test("N20: Snooze and a typed reply reach an app that slept, in order, and one of its devices takes each up")
    func asleep() async throws {
        let chat = try #require(Self.chat)
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let user = UserID.random()
            let agent = try Self.client(server, user, .system, state + "/agent")
            try await Self.registered(agent, chat)
            let watch = try Self.client(server, user, .app(chat), state + "/watch")
            _ = try await watch.actions.begin(for: chat)
            try await watch.waitUntilAnswered()
            #expect(try await watch.synchronize() == [])
            let tablet = try Self.client(server, user, .app(chat), state + "/tablet")

            for id in ["a", "b"] {
                let post = NotificationPosted(notificationID: id, category: "message", title: "Anna", body: "When?")
                _ = try await agent.notifications.post(post, to: chat)
            }
            let snooze = try await agent.actions.perform(.action("snooze"), on: "a", of: chat)
            let reply = try await agent.actions.perform(.action("reply"), on: "b", of: chat, text: "At six")
            _ = try await agent.notifications.remove(["a", "b"], of: chat)
            try await agent.waitUntilAnswered()
            #expect(try agent.rows(in: .waitingActions).isEmpty)

            for app in [watch, tablet] { #expect(try await app.synchronize() == []) }
            let waiting = try await watch.actions.waiting(for: chat)
            #expect(waiting.map(\.id) == [snooze.envelope.id, reply.envelope.id])
            #expect(waiting.map(\.content.action) == ["snooze", "reply"])
            #expect(waiting.map(\.content.text) == [nil, "At six"])
            #expect(try await tablet.actions.waiting(for: chat) == waiting)

            // Both take the first one up; the log has them in order, and one of them is told no.
            var answers: [Bool] = []
            for app in [watch, tablet] {
                let handled = ActionHandled(id: waiting[0].id)
                answers += try await app.append([EventDraft(.actionHandled(handled), app: chat)]).map(\.isAccepted)
            }
            #expect(answers == [true, false])
            _ = try await tablet.actions.handle(waiting[1].id, of: chat)
            // It is gone where it was taken up, before the server has said so.
            #expect(try await tablet.actions.waiting(for: chat).map(\.id) != [waiting[1].id])
            try await tablet.waitUntilAnswered()
            for app in [watch, tablet] {
                #expect(try await app.synchronize() == [])
                #expect(try await app.actions.waiting(for: chat).isEmpty)
            }
            for client in [agent, watch, tablet] { await client.close() }
        }
    }

    @Test("N17: a device silences all apps, sees it at once, and nothing of it reaches an app's session")
    func silence() async throws {
        let chat = try #require(Self.chat)
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let user = UserID.random()
            let agent = try Self.client(server, user, .system, state + "/agent")
            try await Self.registered(agent, chat)
            _ = try await agent.settings.silenceAll(true)
            #expect(try await agent.settings.isSilenced)
            _ = try await agent.notifications.post(NotificationPosted(notificationID: "n", body: "Hello"), to: chat)
            try await agent.waitUntilAnswered()
            #expect(try await agent.synchronize() == [])
            let alert = try #require(try await agent.row(RowKey(.alerts, app: chat, key: "n"))?.value)
            #expect(try AlertRow(decoding: alert).decision == AlertDecision(.none, .silenced))
            let app = try Self.client(server, user, .app(chat), state + "/app")
            #expect(try await app.synchronize() == [])
            #expect(try app.rows(in: .notificationSettings).isEmpty)
            for client in [agent, app] { await client.close() }
        }
    }
}
