import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@testable import SyncServer

/// Rule N20 where the database is restored to a state that is older than what devices know.
@Suite("Actions after a restore", .fewAtATime) struct ActionRestoreTests {
    private static let chat = AppID("com.example.chat")!

    private static func setUp(_ agent: SyncClient) async throws {
        _ = try await agent.append(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: chat)
        _ = try await agent.append(
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: chat)
        let actions = [
            NotificationAction(id: "reply", title: "Reply", textInput: true),
            NotificationAction(id: "snooze", title: "Snooze"),
        ]
        _ = try await agent.actions.register([NotificationCategory(id: "message", actions: actions)], of: chat)
        let post = NotificationPosted(notificationID: "n", category: "message", title: "Anna", body: "When?")
        _ = try await agent.notifications.post(post, to: chat)
        try await agent.waitUntilAnswered()
    }

    @Test(
        "N20, S6: what an app handled comes to it no more, what it did not comes once, whoever gives back first",
        arguments: [true, false])
    func restore(_ isAppFirst: Bool) async throws {
        let log = try await RestorableLog()
        let user = UserID.random()
        let agent = try await log.device(user)
        let app = try await log.device(user, scope: .app(Self.chat))
        try await agent.with(log) { try await Self.setUp($0) }
        try await app.with(log) { client in
            _ = try await client.actions.begin(for: Self.chat)
            try await client.waitUntilAnswered()
        }
        let backup = try await log.backUp()
        let (snooze, reply) = try await agent.with(log) { client in
            let snooze = try await client.actions.perform(.action("snooze"), on: "n", of: Self.chat)
            let reply = try await client.actions.perform(.action("reply"), on: "n", of: Self.chat, text: "At six")
            try await client.waitUntilAnswered()
            return (snooze.envelope.id, reply.envelope.id)
        }
        let handled = try await app.with(log) { client in
            try await client.synchronize()
            #expect(try await client.actions.waiting(for: Self.chat).map(\.id) == [snooze, reply])
            let handled = try await client.actions.handle(snooze, of: Self.chat)
            try await client.waitUntilAnswered()
            try await client.synchronize()
            #expect(try await client.actions.waiting(for: Self.chat).map(\.id) == [reply])
            return handled.envelope.id
        }
        try await log.restore(backup)
        // Each device gives back what it holds, one after the other.
        for device in isAppFirst ? [app, agent] : [agent, app] {
            try await device.with(log) { client in
                #expect(try await client.synchronize() == [])
                // What it had no answer to is not given back, but sent again.
                try await client.waitUntilAnswered()
            }
        }
        try await app.with(log) { client in
            #expect(try await client.synchronize() == [])
            let waiting = try await client.actions.waiting(for: Self.chat)
            #expect(waiting.map(\.id) == [reply] && waiting.map(\.content.text) == ["At six"])
            _ = try await client.actions.handle(reply, of: Self.chat)
            try await client.waitUntilAnswered()
            #expect(try await client.synchronize() == [])
            #expect(try await client.actions.waiting(for: Self.chat).isEmpty)
        }
        let (events, _) = try await log.replay(user)
        for id in [snooze, reply, handled] { #expect(events.count { $0.id == id } == 1) }
        try await log.stop()
    }
}
