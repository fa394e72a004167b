import Testing

@testable import FocusCore

@Suite("UserState: categories and actions") struct ActionTests {
    private let message = NotificationCategory(
        id: "message", hiddenPreviewsPlaceholder: "Message",
        actions: [
            NotificationAction(id: "delete", title: "Delete", destructive: true),
            NotificationAction(id: "reply", title: "Reply", textInput: true),
            NotificationAction(id: "like", title: "Like"),
        ])

    private func actions(_ count: Int, destructive: Bool = false) -> NotificationCategory {
        NotificationCategory(
            id: "c", actions: (0..<count).map { .init(id: "a\($0)", title: "A", destructive: destructive) })
    }

    /// Posts "n" with the category at second 2.
    private func stage() -> Stage {
        var stage = Stage.ready()
        stage.categorize(message, at: 1)
        stage.post("n", category: "message", at: 2)
        return stage
    }

    @Test("N1: four actions pass, five are too_many_actions; the same id twice is duplicate_action")
    func limits() {
        var stage = Stage.ready()
        #expect(stage.categorize(actions(4), at: 1) == nil)
        #expect(stage.categorize(actions(5), at: 2) == .tooManyActions)
        var twice = actions(2)
        twice.actions[1].id = "a0"
        #expect(stage.categorize(twice, at: 2) == .duplicateAction)
        // Ids are compared by bytes, so these two differ.
        twice.actions = [.init(id: "\u{E9}", title: "A"), .init(id: "e\u{301}", title: "A")]
        #expect(stage.categorize(twice, at: 2) == nil)
        #expect(stage.categorize(actions(1), actions(2), at: 2) == .fieldInvalid)
        twice.actions[0].title = ""
        #expect(stage.categorize(twice, at: 2) == .fieldMissing)
    }

    @Test("N1: a register that replaces all categories; devices get them as registered")
    func register() {
        var stage = Stage.ready()
        let key = RowKey(.categories, app: .chat)
        stage.categorize(message, actions(4), at: 5)
        #expect(stage.value(CategoriesRow.self, key)?.categories == [message, actions(4)])
        stage.categorize(actions(1), at: 4, from: .tablet)
        #expect(stage.value(CategoriesRow.self, key)?.categories.count == 2)
        stage.categorize(actions(1), at: 6, from: .tablet)
        #expect(stage.value(CategoriesRow.self, key)?.categories == [actions(1)])
    }

    @Test("N1: a post that names an unknown category is accepted, without actions")
    func unknownCategory() {
        var stage = Stage.ready()
        #expect(stage.post("n", category: "later", at: 1) == nil)
        #expect(stage.perform(.doubleTap, on: "n", at: 2) == .actionUnknown)
        stage.categorize(NotificationCategory(id: "later", actions: message.actions), at: 3)
        #expect(stage.perform(.doubleTap, on: "n", at: 4) == nil)
    }

    @Test("N12: an action marks the notification read, and its id is in a row")
    func marksRead() {
        var stage = stage()
        #expect(stage.badge()?.count == 1)
        #expect(stage.perform(.action("like"), on: "n", at: 3) == nil)
        #expect(stage.notification("n")?.unread == false && stage.badge()?.count == 0)
        #expect(stage.action("n") == ActionRow(action: "like", doubleTap: false, performedAt: .at(3)))
    }

    @Test("N12: a double tap is the first nondestructive action; all destructive: action_unknown")
    func doubleTap() {
        var stage = stage()
        #expect(stage.perform(.doubleTap, on: "n", at: 3) == nil)
        #expect(stage.action("n") == ActionRow(action: "reply", doubleTap: true, performedAt: .at(3)))
        stage.categorize(actions(4, destructive: true), at: 4)
        stage.post("m", category: "c", at: 5)
        #expect(stage.perform(.doubleTap, on: "m", at: 6) == .actionUnknown)
        #expect(stage.perform(.action("a1"), on: "m", at: 6) == nil)
    }

    @Test("N12: an action that the category has not is action_unknown, and the notification stays unread")
    func unknown() {
        var stage = stage()
        #expect(stage.perform(.action("bark"), on: "n", at: 3) == .actionUnknown)
        stage.post("plain", at: 2)
        #expect(stage.perform(.action("like"), on: "plain", at: 3) == .actionUnknown)
        #expect(stage.badge()?.count == 2 && stage.action("n") == nil)
        #expect(stage.perform(.action(""), on: "n", at: 3) == .fieldMissing)
    }

    @Test("N12: text is for actions that take some, a double tap's too")
    func text() {
        var stage = stage()
        #expect(stage.perform(.action("like"), on: "n", text: "Yes", at: 3) == .textNotAccepted)
        #expect(stage.perform(.action("reply"), on: "n", text: "Yes", at: 3) == nil)
        #expect(stage.perform(.action("reply"), on: "n", at: 4) == nil)
        #expect(stage.perform(.doubleTap, on: "n", text: "Yes", at: 5) == nil)
        let long = String(repeating: "x", count: 16_384)
        #expect(stage.perform(.doubleTap, on: "n", text: long, at: 5) == nil)
        #expect(stage.perform(.doubleTap, on: "n", text: long + "x", at: 5) == .stringTooLong)
    }

    @Test("N12: for an id that is not posted yet it is accepted, counts as read, and is not resolved")
    func notPosted() {
        var stage = stage()
        #expect(stage.perform(.action("bark"), on: "later", text: "Yes", at: 5) == nil)
        #expect(stage.action("later") == nil)
        stage.post("later", category: "message", at: 4, from: .tablet)
        #expect(stage.notification("later")?.unread == false && stage.action("later") == nil)
        #expect(stage.alert("later") == nil)
    }

    @Test("N12: an action on what was posted again since leaves the new post unread, and is not resolved")
    func postedAgain() {
        var stage = stage()
        stage.post("n", category: "other", at: 6)
        #expect(stage.perform(.action("like"), on: "n", at: 5, from: .tablet) == nil)
        #expect(stage.notification("n")?.unread == true && stage.action("n") == nil)
    }

    @Test("E6: resolved once: neither a later category nor an older action changes it; a newer one does")
    func once() {
        var stage = stage()
        stage.perform(.doubleTap, on: "n", at: 5)
        stage.categorize(at: 6)
        #expect(stage.action("n")?.action == "reply")
        stage.categorize(message, at: 7)
        stage.perform(.action("like"), on: "n", at: 4, from: .tablet)
        #expect(stage.action("n")?.action == "reply")
        stage.perform(.action("like"), on: "n", at: 8, from: .tablet)
        #expect(stage.action("n")?.action == "like")
    }

    @Test("N12: the row goes with its post: when posted again, removed or cleared")
    func lifetime() throws {
        var stage = stage()
        for (number, end) in ["post", "remove", "clear"].enumerated() {
            let second = Double(10 * (number + 1))
            stage.post("n", category: "message", at: second)
            stage.perform(.doubleTap, on: "n", at: second + 1)
            stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
            #expect(stage.action("n") != nil, "\(end)")
            switch number {
            case 0: stage.post("n", category: "message", at: second + 2)
            case 1: stage.remove("n", at: second + 2)
            default: stage.clear(at: second + 2)
            }
            #expect(stage.action("n") == nil && stage.state.apps[0].performed.isEmpty, "\(end)")
            #expect(stage.touched.contains(RowKey(.actions, app: .chat, key: "n")))
        }
    }

    @Test("N10, N12: a held alert of what was acted on is not released")
    func held() {
        var stage = stage()
        stage.configure("x", at: 3)
        stage.focus("x", on: true, at: 4)
        stage.post("h", category: "message", at: 5)
        #expect(stage.decision("h")?.alert == .heldByFocus)
        stage.perform(.doubleTap, on: "h", at: 6)
        #expect(stage.alert("h") == nil)
    }
}
