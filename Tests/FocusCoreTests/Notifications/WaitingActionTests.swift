import Testing

@testable import FocusCore

@Suite("UserState: actions that wait for their app (N20)") struct WaitingActionTests {
    private let message = NotificationCategory(
        id: "message",
        actions: [
            NotificationAction(id: "reply", title: "Reply", textInput: true),
            NotificationAction(id: "snooze", title: "Snooze"),
        ])

    /// Posts "n" at second 2.
    private func stage(handles: Bool = true) -> Stage {
        var stage = Stage.ready()
        stage.categorize(message, at: 1)
        if handles { #expect(stage.handle(nil) == nil) }
        stage.post("n", category: "message", at: 2)
        return stage
    }

    @Test("N20: what was chosen waits with its text, its device and a number in the order of the log")
    func waits() {
        var stage = stage()
        stage.perform(.action("reply"), on: "n", text: "At six", at: 3, from: .watch)
        stage.perform(.doubleTap, on: "n", at: 4)
        #expect(
            stage.waiting.map(\.row) == [
                WaitingActionRow(
                    number: 1, notificationID: "n", action: "reply", doubleTap: false, text: "At six",
                    performedAt: .at(3), device: .watch),
                WaitingActionRow(
                    number: 2, notificationID: "n", action: "reply", doubleTap: true, text: nil, performedAt: .at(4),
                    device: .phone),
            ])
    }

    @Test("N20: an app that never said that it handles actions is told of none")
    func unasked() {
        var stage = stage(handles: false)
        stage.perform(.action("snooze"), on: "n", at: 3)
        #expect(stage.waiting.isEmpty)
        stage.handle(nil)
        stage.perform(.action("snooze"), on: "n", at: 5)
        #expect(stage.waiting.map(\.row.number) == [1])
    }

    @Test("N20: what becomes of the notification takes nothing away", arguments: 0..<3)
    func outlives(way: Int) {
        var stage = stage()
        stage.perform(.action("reply"), on: "n", text: "At six", at: 3)
        switch way {
        case 0: stage.post("n", category: "message", at: 4)
        case 1: stage.remove("n", at: 4)
        default: stage.clear(at: 4)
        }
        #expect(stage.action("n") == nil && stage.waiting.map(\.row.text) == ["At six"])
    }

    @Test("N20: an action on a notification that is not listed, or was posted again later, waits too")
    func unresolved() {
        var stage = stage()
        stage.perform(.action("reply"), on: "gone", text: "Yes", at: 3)
        stage.post("n", category: "message", at: 9)
        stage.perform(.doubleTap, on: "n", at: 4, from: .tablet)
        #expect(stage.waiting.map(\.row.action) == ["reply", nil])
        #expect(stage.waiting.map(\.row.text) == ["Yes", nil])
    }

    @Test("N20: handled, it is gone, and refused the second time; system sessions and other apps may not")
    func handled() {
        var stage = stage()
        stage.perform(.action("snooze"), on: "n", at: 3)
        let id = stage.waiting[0].id
        #expect(stage.handle(id, scope: .system) == .forbidden)
        #expect(stage.handle(id, scope: .app(.mail)) == .forbidden)
        #expect(stage.handle(id) == nil)
        #expect(stage.waiting.isEmpty)
        #expect(stage.handle(id, from: .tablet) == .actionHandled)
    }

    @Test("N20: a log that gets the handling back before the action tells the app nothing twice")
    func otherOrder() throws {
        var stage = stage()
        let id = EventID(Stage.uuid(stage.events.count + 2))
        #expect(stage.handle(id) == nil)
        stage.perform(.action("snooze"), on: "n", at: 3)
        #expect(stage.events.last?.id == id && stage.waiting.isEmpty)
        // And no more after the state was loaded from its rows.
        let loaded = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(loaded.allRows == stage.rows)
    }

    @Test("N20: only sessions of the app see what waits for it")
    func views() {
        let key = RowKey(.waitingActions, app: .chat, key: "\(EventID(Stage.uuid(1)))")
        for scope in [Scope.system, .app(.mail)] {
            #expect(!View(scope: scope, device: .phone, deviceClass: .phone).includes(key))
        }
        #expect(View(scope: .app(.chat), device: .phone, deviceClass: .phone).includes(key))
        #expect(View(scope: .app(.chat), device: .phone, deviceClass: .phone).silenced.includes(key))
    }

    @Test("N20, E5: 1,000 wait, the oldest leaves; 1,000 handled ones are remembered")
    func counts() throws {
        var actions = WaitingActions()
        let ids = (1...1_001).map { EventID(Stage.uuid($0)) }
        for id in ids.dropLast() { #expect(actions.add(id, bytes: 1).isEmpty) }
        #expect(actions.add(ids[1_000], bytes: 1) == [ids[0]])
        for id in ids.dropLast() { #expect(actions.handle(id) == nil) }
        #expect(actions.handle(ids[1_000]) == ids[0])
        #expect(actions.waitingCount == 0 && actions.waitingBytes == 0 && actions.entries.count == 1_000)
    }

    @Test("N20, E5: 1 MiB waits, and more takes the oldest away")
    func bytes() {
        var actions = WaitingActions()
        let ids = (1...3).map { EventID(Stage.uuid($0)) }
        let half = EventLimits.waitingActionBytesPerApp / 2
        #expect(actions.add(ids[0], bytes: half).isEmpty && actions.add(ids[1], bytes: half).isEmpty)
        #expect(actions.add(ids[2], bytes: 1) == [ids[0]])
        #expect(actions.waitingBytes == half + 1)
    }
}

extension Stage {
    @discardableResult
    fileprivate mutating func handle(
        _ id: EventID?, from device: DeviceID = .phone, scope: Scope = .app(.chat)
    ) -> RefusalCode? {
        send(.actionHandled(ActionHandled(id: id)), app: .chat, from: device, at: 2, scope: scope)
    }

    /// What waits for the app, in order.
    fileprivate var waiting: [(id: EventID, row: WaitingActionRow)] {
        rows.keys.filter { $0.collection == .waitingActions }.compactMap { key in
            EventID(text: key.key).flatMap { id in value(WaitingActionRow.self, key).map { (id, $0) } }
        }.sorted { $0.row.number < $1.row.number }
    }
}
