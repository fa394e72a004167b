import Testing

@testable import FocusCore

@Suite("UserState: communication notifications") struct CommunicationTests {
    private func stage() -> Stage {
        var stage = Stage.ready([.chat, .mail])
        stage.donate("i", .incoming, with: "anna", name: "Anna", group: "Trip", at: 1)
        return stage
    }

    @Test("N5: title is the sender's name, subtitle the group's, avatar the sender's")
    func content() throws {
        var stage = stage()
        #expect(stage.communicate("n", about: "i", at: 2) == nil)
        let row = try #require(stage.notification("n"))
        #expect(row.title == "Anna" && row.subtitle == "Trip" && row.avatar == "avatar of Anna" && row.body == "B")
    }

    @Test("N5: the handle without a display name, no subtitle without a group", arguments: [nil, ""] as [String?])
    func bareSender(_ absent: String?) throws {
        var stage = stage()
        stage.donate("j", .incoming, with: "bob", name: absent, group: absent, at: 1)
        stage.communicate("n", about: "j", at: 2)
        let row = try #require(stage.notification("n"))
        #expect(row.title == "bob" && row.subtitle == nil)
    }

    @Test("N5: of calls the caller")
    func call() {
        var stage = stage()
        let call = StartCall(kind: .audio, caller: Person(handle: "bob", displayName: "Bob"))
        stage.send(
            .interactionDonated(
                InteractionDonated(
                    interactionID: "c", direction: .incoming, intent: .startCall(call), startedAt: .at(1))),
            app: .chat, at: 1)
        stage.communicate("n", about: "c", at: 2)
        #expect(stage.notification("n")?.title == "Bob")
    }

    @Test("N5: the interaction must be donated, incoming, of the same app, and not deleted")
    func notDonated() {
        var stage = stage()
        stage.donate("out", .outgoing, at: 1)
        stage.donate("mail", .incoming, app: .mail, at: 1)
        for id in ["unknown", "out", "mail", ""] {
            #expect(stage.communicate("n", about: id, at: 2) == .interactionNotDonated)
        }
        #expect(stage.communicate("n", about: "i", at: 2) == nil)
        stage.delete(.ids(["i"]), at: 3)
        #expect(stage.communicate("m", about: "i", at: 4) == .interactionNotDonated)
        stage.register(capabilities: [.siriKit], at: 5)
        #expect(stage.communicate("m", about: "i", at: 6) == .capabilityRequired)
    }

    @Test("N4: marketing is no communication")
    func marketing() {
        var stage = stage()
        stage.authorize(.marketing, .authorized, at: 1)
        #expect(stage.communicate("n", about: "i", marketing: true, at: 2) == .marketingCommunication)
    }

    @Test("N5: copied when posted, never rewritten later; a re-post copies anew")
    func copied() {
        var stage = stage()
        stage.communicate("n", about: "i", title: nil, at: 2)
        stage.donate("i", .incoming, with: "anna", name: "Anna M.", at: 3)
        stage.register(name: "Other", at: 4)
        #expect(stage.notification("n")?.title == "Anna")
        stage.delete(.all, at: 5)
        #expect(stage.notification("n")?.title == "Anna")
        stage.donate("i", .incoming, with: "anna", name: "Anna M.", at: 6)
        stage.communicate("n", about: "i", at: 7)
        #expect(stage.notification("n")?.title == "Anna M." && stage.notification("n")?.subtitle == nil)
    }

    private func configure(_ stage: inout Stage, people: Set<ByteText>, at second: Double) {
        stage.send(
            .focusConfigured(FocusConfigured(focusID: "x", name: "x", allowedPeople: people)), at: second)
    }

    @Test("N9.4: an allowed sender breaks through the Focus, others are held; a plain notification is nobody's")
    func allowedPerson() {
        var stage = stage()
        stage.donate("j", .incoming, with: "bob", name: "anna", at: 1)
        configure(&stage, people: ["anna"], at: 1)
        stage.focus("x", on: true, at: 1.5)
        stage.communicate("n", about: "i", at: 2)
        stage.communicate("m", about: "j", at: 2)
        stage.post("plain", at: 2)
        #expect(stage.decision("n") == AlertDecision(.now, .allowedPerson))
        #expect(stage.decision("m") == AlertDecision(.heldByFocus, .focus))
        #expect(stage.decision("plain") == AlertDecision(.heldByFocus, .focus))
    }

    @Test("N9.4: handles are the same by their bytes")
    func bytes() {
        var stage = stage()
        stage.donate("j", .incoming, with: "e\u{301}", at: 1)
        configure(&stage, people: ["\u{E9}"], at: 1)
        stage.focus("x", on: true, at: 1.5)
        stage.communicate("n", about: "j", at: 2)
        #expect(stage.decision("n")?.alert == .heldByFocus)
    }

    @Test("N9.4, N10: people whose handles are the same but for their bytes are two, allowed together or instead")
    func alikeHandles() {
        var stage = stage()
        let handles: [ByteText] = ["e\u{301}", "\u{E9}"]
        for (number, handle) in handles.enumerated() { stage.donate("j\(number)", .incoming, with: handle.text, at: 1) }
        configure(&stage, people: [handles[1]], at: 1)
        stage.focus("x", on: true, at: 1.5)
        for number in 0..<2 { stage.communicate("n\(number)", about: "j\(number)", at: 2) }
        #expect(stage.decision("n0")?.alert == .heldByFocus && stage.decision("n1")?.reason == .allowedPerson)
        configure(&stage, people: [handles[0]], at: 3)
        #expect(stage.decision("n0") == AlertDecision(.now, .allowedPerson))
        configure(&stage, people: Set(handles), at: 4)
        for number in 0..<2 {
            stage.communicate("n\(number)", about: "j\(number)", at: 5)
            #expect(stage.decision("n\(number)") == AlertDecision(.now, .allowedPerson))
        }
    }

    @Test(
        "N10: the Focus is edited to allow the sender, as it was when posted: the held alert rings, also after a reload"
    )
    func allowedLater() throws {
        var stage = stage()
        configure(&stage, people: [], at: 1)
        stage.focus("x", on: true, at: 1.5)
        stage.communicate("n", about: "i", at: 2)
        #expect(stage.decision("n")?.alert == .heldByFocus)
        stage.delete(.all, at: 3)
        stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        configure(&stage, people: ["bob"], at: 4)
        #expect(stage.decision("n")?.alert == .heldByFocus)
        configure(&stage, people: ["anna"], at: 5)
        #expect(stage.decision("n") == AlertDecision(.now, .allowedPerson))
    }

    @Test("A communication is decided as active, whatever its level", arguments: InterruptionLevel.allCases)
    func level(_ level: InterruptionLevel) {
        var stage = stage()
        stage.communicate("n", about: "i", level: level, at: 2)
        #expect(stage.decision("n") == AlertDecision(.now, .ordinary))
        #expect(stage.notification("n")?.level == level)
    }
}
