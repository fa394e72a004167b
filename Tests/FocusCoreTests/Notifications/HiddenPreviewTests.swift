import Testing

@testable import FocusCore

@Suite("Hidden previews") struct HiddenPreviewTests {
    private func hidden(_ stage: Stage, _ id: String = "n") throws -> NotificationRow {
        let row = try #require(stage.state.row(RowKey(.notifications, app: .chat, key: id)))
        return try NotificationRow(decoding: NotificationRow.hidden(row.value))
    }

    private func category(_ placeholder: String?) -> NotificationCategory {
        NotificationCategory(id: "c", hiddenPreviewsPlaceholder: placeholder)
    }

    @Test("N13: title \"Notification\", body the category's placeholder; no subtitle, sender or avatar")
    func form() throws {
        var stage = Stage.ready()
        stage.categorize(category("A message"), at: 1)
        stage.donate("i", .incoming, with: "anna@secret", name: "Anna secret", group: "Trip secret", at: 1)
        let body = NotificationPosted(
            notificationID: "n", category: "c", thread: "secret", title: "secret", subtitle: "secret", body: "secret",
            level: .passive, relevance: 0.5, interactionID: "i", eventAt: .at(9), sound: "chime")
        #expect(stage.send(.notificationPosted(body), app: .chat, at: 2) == nil)
        let row = try hidden(stage)
        #expect(row.title == "Notification" && row.body == "A message" && row.subtitle == nil && row.avatar == nil)
        #expect(row.category == "c" && row.relevance == 0.5 && row.level == .passive && row.sound == "chime")
        #expect(row.eventAt == .at(9) && row.postedAt == .at(2) && row.unread)
        // No other text of the post remains either.
        let full = try #require(stage.state.row(RowKey(.notifications, app: .chat, key: "n"))).value
        #expect(String(decoding: full, as: UTF8.self).contains("secret"))
        #expect(!String(decoding: try NotificationRow.hidden(full), as: UTF8.self).contains("secret"))
        #expect(try NotificationRow.hidden(NotificationRow.hidden(full)) != full)
        stage.read("n", at: 3)
        #expect(try !hidden(stage).unread)
    }

    @Test("N13: without a placeholder, or a category, there is no body")
    func withoutPlaceholder() throws {
        var stage = Stage.ready()
        stage.categorize(category(nil), at: 1)
        stage.post("n", category: "c", at: 2)
        stage.post("m", at: 2)
        #expect(try hidden(stage).body == "" && hidden(stage, "m").body == "")
    }

    @Test("N13, E6: the placeholder follows the category, whichever comes first")
    func follows() throws {
        var stage = Stage.ready()
        stage.post("n", category: "c", at: 1)
        stage.post("m", at: 1)
        stage.categorize(category("One"), at: 2)
        #expect(try hidden(stage).body == "One" && hidden(stage, "m").body == "")
        stage.categorize(category("Older"), at: 1.5, from: .tablet)
        #expect(try hidden(stage).body == "One")
        stage.read("n", at: 3)
        stage.categorize(category("Two"), at: 4)
        #expect(try hidden(stage).body == "Two" && !hidden(stage).unread)
        #expect(stage.touched.contains(RowKey(.notifications, app: .chat, key: "n")))
        #expect(!stage.touched.contains(RowKey(.notifications, app: .chat, key: "m")))
        stage.categorize(at: 5)
        #expect(try hidden(stage).body == "")
    }

    @Test("N13: what is no notification's row throws")
    func malformed() {
        #expect(throws: ProtoError.self) { try NotificationRow.hidden([0xFF]) }
    }
}
