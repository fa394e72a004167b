import Testing

@testable import FocusCore

/// The guidelines as questions to a history.
@Suite struct AppLintTests {
    private func findings(_ stage: Stage, _ app: AppID = .chat) -> [LintFinding] {
        var lint = AppLint(app)
        return stage.events.flatMap { lint.apply($0) } + lint.finish()
    }

    private func questions(_ stage: Stage) -> [String] { findings(stage).map { "\($0.question.rawValue) \($0.about)" } }

    private func post(
        _ stage: inout Stage, _ id: String, title: String? = nil, body: String = "B",
        level: InterruptionLevel = .active, eventAt: Double? = nil, at second: Double
    ) {
        let body = NotificationPosted(
            notificationID: id, title: title, body: body, level: level, eventAt: eventAt.map { .at($0) })
        stage.send(.notificationPosted(body), app: .chat, at: second)
    }

    @Test("The same content under another id within a day comes again; under its own id, or a day later, it does not")
    func again() throws {
        var stage = Stage.ready()
        post(&stage, "a", at: 1)
        post(&stage, "a", at: 2)
        post(&stage, "b", body: "C", at: 3)
        #expect(questions(stage).isEmpty)
        post(&stage, "c", at: 4)
        #expect(questions(stage) == ["same-content-again c"])
        let earlier = stage.events.last { $0.occurredAt == .at(2) }?.id
        #expect(findings(stage).first?.earlier == earlier && earlier != nil)
        post(&stage, "d", at: 4 + 86_400)
        #expect(questions(stage).count == 2)
        post(&stage, "e", at: 4.000_001 + 2 * 86_400)
        #expect(questions(stage).count == 2)
    }

    @Test("The app's name in front of the title, or in an action's")
    func name() {
        var stage = Stage.ready()
        post(&stage, "a", title: "chat", at: 1)
        post(&stage, "b", title: "Chat: hello", at: 2)
        post(&stage, "c", title: "Chatter", at: 3)
        #expect(questions(stage) == ["name-in-title a", "name-in-title b"])
        stage.send(
            .categoriesRegistered(
                CategoriesRegistered(categories: [
                    NotificationCategory(
                        id: "m", hiddenPreviewsPlaceholder: "Message",
                        actions: [
                            NotificationAction(id: "o", title: "Open in Chat"),
                            NotificationAction(id: "p", title: "Chatty"),
                        ])
                ])), app: .chat, at: 4)
        #expect(questions(stage).last == "name-in-action m/o" && questions(stage).count == 3)
    }

    @Test("N12, N13: a category without a placeholder, and one that begins with what destroys")
    func categories() {
        var stage = Stage.ready()
        let delete = NotificationAction(id: "d", title: "Delete", destructive: true)
        stage.send(
            .categoriesRegistered(
                CategoriesRegistered(categories: [
                    NotificationCategory(id: "a", actions: [delete, NotificationAction(id: "r", title: "Reply")]),
                    NotificationCategory(
                        id: "b", hiddenPreviewsPlaceholder: "Mail",
                        actions: [NotificationAction(id: "r", title: "Reply"), delete]),
                    NotificationCategory(id: "c", hiddenPreviewsPlaceholder: "Mail", actions: [delete]),
                ])), app: .chat, at: 1)
        #expect(questions(stage) == ["no-placeholder a", "destructive-first a/d"])
    }

    @Test("N3: time sensitive without a time, and more than an hour before it")
    func timeSensitive() {
        var stage = Stage.ready()
        post(&stage, "a", body: "1", level: .timeSensitive, at: 1)
        post(&stage, "b", body: "2", level: .timeSensitive, eventAt: 2 + 3_600, at: 2)
        post(&stage, "c", body: "3", level: .timeSensitive, eventAt: 3.000_001 + 3_600, at: 3)
        #expect(questions(stage) == ["time-sensitive-without-time a", "time-sensitive-too-early c"])
    }

    @Test("B1: a badge of twenty that has not fallen for a month, told once")
    func badge() {
        var stage = Stage.ready()
        let month = 30.0 * 86_400
        for index in 0..<19 { post(&stage, "n\(index)", body: "\(index)", at: 1 + Double(index)) }
        post(&stage, "n0", body: "again", at: 1 + month)
        #expect(questions(stage).isEmpty)
        post(&stage, "n19", body: "last", at: 2 + month)
        post(&stage, "n20", body: "past", at: 3 + month)
        #expect(questions(stage) == ["badge-never-falls n20"])
        stage.read("n3", at: 4 + month)
        post(&stage, "n21", body: "new", at: 5 + month)
        #expect(questions(stage) == ["badge-never-falls n20"])
        var fallen = Stage.ready()
        for index in 0..<20 { post(&fallen, "n\(index)", body: "\(index)", at: 1 + Double(index)) }
        fallen.read("n3", at: 30)
        post(&fallen, "x", body: "x", at: 2 + month)
        #expect(questions(fallen).isEmpty)
    }

    @Test("Of other apps, and of what was refused, nothing is asked; contents are bounded")
    func others() {
        var stage = Stage.ready([.chat, .mail])
        post(&stage, "a", title: "Chat", at: 1)
        #expect(findings(stage, .mail).isEmpty)
        var lint = AppLint(.chat)
        for index in 0..<5_000 {
            let body = NotificationPosted(notificationID: "\(index)", body: "\(index)")
            var event = stage.events[stage.events.count - 1]
            event.body = .notificationPosted(body)
            event.occurredAt = .at(Double(index))
            _ = lint.apply(event)
        }
        #expect(lint.rememberedContents <= 2 * AppLint.contentLimit)
    }
}
