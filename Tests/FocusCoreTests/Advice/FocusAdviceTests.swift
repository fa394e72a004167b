import Testing

@testable import FocusCore

/// What a history says about allow lists.
@Suite struct FocusAdviceTests {
    private func advice(_ stage: Stage) throws -> FocusAdvice {
        var advice = FocusAdvice(.ada)
        for event in stage.events { try advice.apply(event) }
        return advice
    }

    private func lines(_ stage: Stage) throws -> [String: FocusAdviceCount] {
        let lines = try advice(stage).finish()
        return Dictionary(uniqueKeysWithValues: lines.map { ($0.change.rule, $0.count) })
    }

    /// A Focus is on; Chat posts these ids in it, at seconds 3, 4, …; at 100 it ends.
    private func held(_ ids: String..., level: InterruptionLevel = .active) -> Stage {
        var stage = Stage.ready([.chat, .mail])
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        for (index, id) in ids.enumerated() { stage.post(id, level: level, at: Double(3 + index)) }
        stage.focus("work", on: false, at: 100)
        return stage
    }

    private let allowChat = "allow app com.example.chat in work"

    @Test("What is opened within a minute of the Focus' end would have come in time; a microsecond later not")
    func prompt() throws {
        var stage = held("a", "b", "c")
        stage.read("a", at: 101)
        stage.read("b", at: 160)
        stage.read("c", at: 160.000_001)
        #expect(try lines(stage) == [allowChat: FocusAdviceCount(alerts: 3, wanted: 2, ignored: 0)])
    }

    @Test("What is opened while the Focus is on was wanted too")
    func during() throws {
        var stage = Stage.ready()
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        stage.post("a", at: 3)
        stage.read("a", at: 4)
        #expect(try lines(stage) == [allowChat: FocusAdviceCount(alerts: 1, wanted: 1, ignored: 0)])
    }

    @Test("Unread for a day, or removed unread, is ignored; a re-post is neither")
    func ignored() throws {
        var stage = held("a", "b", "c", "d")
        stage.read("a", at: 101)
        stage.remove("b", at: 102)
        stage.post("c", at: 103)
        // d was posted at second 6; c again at 103, when no Focus was on.
        stage.post("z", .mail, at: 6 + 86_400)
        #expect(try lines(stage)[allowChat] == FocusAdviceCount(alerts: 4, wanted: 1, ignored: 1))
        stage.post("y", .mail, at: 6.000_001 + 86_400)
        #expect(try lines(stage)[allowChat] == FocusAdviceCount(alerts: 4, wanted: 1, ignored: 2))
    }

    @Test("Whom an allow list let through, and who was ignored, could have waited")
    func denied() throws {
        var stage = Stage.ready()
        stage.configure("work", allows: [.chat], at: 1)
        stage.focus("work", on: true, at: 2)
        for (index, id) in ["a", "b", "c"].enumerated() { stage.post(id, at: Double(3 + index)) }
        stage.read("a", at: 1_000)
        stage.remove("b", "c", at: 1_001)
        let deny = "deny app com.example.chat in work"
        #expect(try lines(stage) == [deny: FocusAdviceCount(alerts: 3, wanted: 1, ignored: 2)])
        // What the list no longer has needs no advice, nor does a Focus that is gone.
        var changed = stage
        changed.configure("work", at: 1_002)
        #expect(try lines(changed).isEmpty)
        stage.send(.focusRemoved(FocusRemoved(focusID: "work")), at: 1_003)
        #expect(try lines(stage).isEmpty)
    }

    @Test("N9.4: a communication is counted for its sender and for its app, by the sender's name")
    func sender() throws {
        var stage = Stage.ready()
        stage.donate("i", .incoming, with: "anna@example.com", name: "Anna", at: 0.5)
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        stage.send(
            .notificationPosted(NotificationPosted(notificationID: "a", body: "B", interactionID: "i")), app: .chat,
            at: 3)
        stage.focus("work", on: false, at: 100)
        stage.read("a", at: 110)
        let found = try advice(stage).finish()
        #expect(found.map(\.change.rule) == [allowChat, "allow person anna@example.com in work"])
        #expect(found.map(\.name) == ["com.example.chat", "Anna"] && found.map(\.focusName) == ["work", "work"])
        #expect(found.allSatisfy { $0.gain == 1 })
    }

    @Test("N3: time sensitive is counted as a promise, kept where it was opened within the hour")
    func promises() throws {
        var stage = held("a", "b", "c", level: .timeSensitive)
        stage.read("a", at: 101)
        stage.read("b", at: 4 + 3_600)
        stage.read("c", at: 5.000_001 + 3_600)
        stage.post("d", level: .timeSensitive, at: 4_000)
        let found = try advice(stage)
        #expect(found.promises == [.chat: FocusAdvicePromises(posts: 4, rang: 1, opened: 2)])
        #expect(found.finish().map(\.change.rule).contains("allow time-sensitive in work"))
    }

    @Test("N4: allow lists do not apply to marketing, so no change is advised")
    func marketing() throws {
        var stage = Stage.ready()
        stage.authorize(.marketing, .authorized, at: 0.5)
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        stage.post("a", marketing: true, at: 3)
        stage.read("a", at: 4)
        #expect(try lines(stage).isEmpty)
    }
}
