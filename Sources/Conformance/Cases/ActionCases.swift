import FocusCore

/// N20: what is done with an app's notifications reaches the app, once.
enum ActionCases {
    static let all: [ConformanceCase] = [
        ConformanceCase(
            "N20", "an app that slept finds what was done, in order, with what was typed, until it handles it"
        ) {
            context in
            let device = Device.ofNewUser()
            let owner = try await ready(context, device)
            let app = try await context.open(asApp(device))
            try await app.appendAccepted([handled(nil)])
            await app.connection.close()
            let (snooze, reply) = (perform("snooze"), perform("reply", text: "At six"))
            try await owner.appendAccepted([snooze, reply])
            let awake = try await context.open(asApp(device))
            var replica = Replica()
            try await replica.follow(awake.connection, "both actions") { waiting($0).count == 2 && $0.isConfirmed }
            let rows = waiting(replica)
            try expect(rows.map(\.id) == [snooze.id, reply.id], "they come in another order, or under other ids")
            try expect(rows.map(\.row.action) == ["snooze", "reply"], "\(rows.map(\.row.action))")
            try expect(rows.map(\.row.text) == [nil, "At six"], "\(rows.map(\.row.text))")
            try expect(rows.allSatisfy { $0.row.device == device.id }, "they were performed elsewhere")
            let version = try await awake.appendAccepted([handled(snooze.id)])
            try await replica.follow(awake.connection, to: version)
            try expect(waiting(replica).map(\.id) == [reply.id], "what it has handled still waits, or more is gone")
        },
        ConformanceCase("N20", "of an app's devices one acts: what is handled is refused to the others") { context in
            let device = Device.ofNewUser()
            let owner = try await ready(context, device)
            let apps = [try await context.open(asApp(device)), try await context.open(asApp(device))]
            try await apps[0].appendAccepted([handled(nil)])
            let reply = perform("reply", text: "Yes")
            try await owner.appendAccepted([reply])
            try await apps[0].appendAccepted([handled(reply.id)])
            let codes = try await apps[1].append([handled(reply.id)]).refused.map(\.code)
            try expect(codes == ["action_handled"], "the second is answered \(codes)")
        },
        ConformanceCase(
            "N20", "what becomes of the notification changes nothing, and what was handled early never waits"
        ) {
            context in
            let device = Device.ofNewUser()
            let owner = try await ready(context, device)
            let app = try await context.open(asApp(device))
            let early = perform("snooze")
            try await app.appendAccepted([handled(early.id)])
            let reply = perform("reply", text: "Yes")
            try await owner.appendAccepted([
                early, reply, .post("n", app: "a"), .remove(["n"], app: "a"), .of(.badgeCleared, app: "a"),
            ])
            let awake = try await context.open(asApp(device))
            var replica = Replica()
            try await replica.follow(awake.connection, "the reply alone") {
                $0.isConfirmed && waiting($0).map(\.id) == [reply.id]
            }
            try expect(waiting(replica).first?.row.text == "Yes", "the text is gone")
        },
        ConformanceCase(
            "N20", "what was typed for an app is nobody else's; an app that never asked has nothing waiting"
        ) {
            context in
            let device = Device.ofNewUser()
            let owner = try await ready(context, device)
            try await owner.appendAccepted(Envelope.setUp("b"))
            let app = try await context.open(asApp(device))
            try await owner.appendAccepted([perform("snooze")])
            try await app.appendAccepted([handled(nil)])
            let reply = perform("reply", text: "Yes")
            let version = try await owner.appendAccepted([reply])
            var agent = Replica()
            try await agent.follow(owner.connection, to: version)
            try expect(agent.keys(of: .waitingActions).isEmpty, "the agent reads what was typed for an app")
            let codes = try await owner.append([handled(reply.id)]).refused.map(\.code)
            try expect(codes == ["forbidden"], "the agent's action.handled is answered \(codes)")
            let other = try await context.open(asApp(device, "b"))
            var stranger = Replica()
            try await stranger.follow(other.connection, to: other.appendAccepted([.post("m", app: "b")]))
            try expect(stranger.keys(of: .waitingActions).isEmpty, "another app reads it")
            var own = Replica()
            let awake = try await context.open(asApp(device))
            try await own.follow(awake.connection, "the reply alone") {
                $0.isConfirmed && waiting($0).map(\.id) == [reply.id]
            }
        },
    ]

    /// The user's agent; the app has posted a notification with actions.
    private static func ready(_ context: CaseContext, _ device: Device) async throws -> Live {
        let owner = try await context.open(device)
        let category = NotificationCategory(
            id: "c",
            actions: [
                NotificationAction(id: "snooze", title: "Snooze"),
                NotificationAction(id: "reply", title: "Reply", textInput: true),
            ])
        let post = NotificationPosted(notificationID: "n", category: "c", title: "t", body: "b")
        try await owner.appendAccepted(
            Envelope.setUp("a") + [
                .of(.categoriesRegistered(CategoriesRegistered(categories: [category])), app: "a"),
                .of(.notificationPosted(post), app: "a"),
            ])
        return owner
    }

    private static func asApp(_ device: Device, _ app: String = "a") -> Device {
        device.sibling(scope: AppID(app).map(Scope.app) ?? .system)
    }

    private static func perform(_ action: String, text: String? = nil) -> Envelope {
        let performed = NotificationActionPerformed(notificationID: "n", gesture: .action(action), text: text)
        return .of(.notificationActionPerformed(performed), app: "a")
    }

    private static func handled(_ id: EventID?) -> Envelope {
        .of(.actionHandled(ActionHandled(id: id)), app: "a")
    }

    /// What waits for the app, in the order of its numbers.
    private static func waiting(_ replica: Replica) -> [(id: EventID, row: WaitingActionRow)] {
        replica.rows.compactMap { key, value in
            guard key.collection == .waitingActions, let id = EventID(text: key.key),
                let row = try? WaitingActionRow(decoding: value)
            else { return nil }
            return (id, row)
        }.sorted { $0.row.number < $1.row.number }
    }
}
