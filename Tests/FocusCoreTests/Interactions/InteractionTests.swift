import Testing

@testable import FocusCore

@Suite("UserState: interactions") struct InteractionTests {
    private func anna(_ stage: Stage, _ app: AppID? = .chat) -> SuggestionRow? { stage.suggestions(app)["anna"] }

    @Test("I1: without siriKit, or without the intent declared, a donation is intent_undeclared")
    func undeclared() {
        var stage = Stage.ready()
        let call = EventBody.interactionDonated(
            InteractionDonated(
                interactionID: "c", direction: .outgoing,
                intent: .startCall(StartCall(kind: .audio, participants: [Person(handle: "bob")])), startedAt: .at(1)))
        func registration(_ intents: Set<DeclaredIntent>, _ capabilities: Set<AppCapability>) -> EventBody {
            .appRegistered(
                AppRegistered(name: "A", build: 1, declaredIntents: intents, capabilities: capabilities))
        }
        #expect(stage.send(call, app: .chat, at: 1) == nil)
        stage.send(registration([.sendMessage], [.siriKit]), app: .chat, at: 2)
        #expect(stage.donate("m", at: 3) == nil)
        #expect(stage.send(call, app: .chat, at: 3) == .intentUndeclared)
        stage.send(registration([.sendMessage, .startCall], [.communication]), app: .chat, at: 4)
        #expect(stage.donate("m", at: 5) == .intentUndeclared)
        // Deleting needs neither the capability nor the intent.
        #expect(stage.delete(.all, at: 6) == nil)
        #expect(stage.suggestions().isEmpty)
    }

    @Test("I2: a donation with a known id replaces it and counts once")
    func replaced() {
        var stage = Stage.ready()
        stage.donate("m", at: 1)
        stage.donate("m", at: 2)
        #expect(anna(stage)?.outgoing == 1 && anna(stage)?.lastAt == .at(2))
        stage.donate("m", with: "bob", at: 3)
        #expect(stage.suggestions().keys.sorted() == ["bob"] && stage.suggestions(nil).keys.sorted() == ["bob"])
        // Rule E3: an older donation that arrives later loses.
        stage.donate("m", at: 2.5, from: .tablet)
        #expect(stage.suggestions().keys.sorted() == ["bob"])
    }

    @Test(
        "I3: outgoing counts for each recipient once, incoming for its sender; without an outgoing one there is no row")
    func people() {
        var stage = Stage.ready()
        let everybody = ["anna", "bob", "anna"].map { Person(handle: $0) }
        let group = SendMessage(conversationID: "k", sender: Person(handle: "me"), recipients: everybody)
        stage.send(
            .interactionDonated(
                InteractionDonated(
                    interactionID: "g", direction: .outgoing, intent: .sendMessage(group), startedAt: .at(1))),
            app: .chat, at: 1)
        stage.donate("i", .incoming, with: "carl", at: 2)
        stage.donate("j", .incoming, with: "bob", at: 3)
        #expect(stage.suggestions().keys.sorted() == ["anna", "bob"])
        #expect(stage.suggestions()["anna"] == SuggestionRow(outgoing: 1, incoming: 0, lastAt: .at(1), score: 2))
        #expect(stage.suggestions()["bob"] == SuggestionRow(outgoing: 1, incoming: 1, lastAt: .at(3), score: 3))
        stage.donate("k", .outgoing, with: "carl", at: 4)
        #expect(stage.suggestions()["carl"]?.score == 3)
    }

    @Test("I3: calls count like messages: participants when outgoing, the caller when incoming")
    func calls() {
        var stage = Stage.ready()
        for (id, direction) in [("a", InteractionDirection.outgoing), ("b", .incoming)] {
            let call = StartCall(kind: .video, caller: Person(handle: "anna"), participants: [Person(handle: "bob")])
            stage.send(
                .interactionDonated(
                    InteractionDonated(
                        interactionID: id, direction: direction, intent: .startCall(call), startedAt: .at(1),
                        durationMicroseconds: 5)), app: .chat, at: 1)
        }
        #expect(stage.suggestions().keys.sorted() == ["bob"])
        stage.donate("m", with: "anna", at: 2)
        #expect(anna(stage)?.incoming == 1 && anna(stage)?.outgoing == 1)
    }

    @Test("I3: over all apps the counts of a handle add up; an app's session sees only its own rows")
    func overAllApps() {
        var stage = Stage.ready([.chat, .mail])
        stage.donate("m", at: 1)
        stage.donate("m", app: .mail, at: 2)
        stage.donate("n", .incoming, app: .mail, at: 3)
        #expect(anna(stage, .chat)?.outgoing == 1 && anna(stage, .mail)?.incoming == 1)
        #expect(anna(stage, nil) == SuggestionRow(outgoing: 2, incoming: 1, lastAt: .at(3), score: 5))
        func seen(_ scope: Scope) -> [AppID?] {
            let view = View(scope: scope, device: .phone, deviceClass: .phone, collections: [.suggestions])
            let start = SyncPosition(version: .zero)
            return stage.state.rows(after: start, in: view, limitBytes: .max).rows.map(\.key.app)
        }
        #expect(seen(.app(.chat)) == [.chat])
        #expect(Set(seen(.system)) == [nil, .chat, .mail])
        // No session sees donations themselves.
        let internals = View(scope: .system, device: .phone, deviceClass: .phone, collections: [.interactions])
        #expect(
            stage.state.rows(after: SyncPosition(version: .zero), in: internals, limitBytes: .max).rows.isEmpty)
    }

    @Test("I4: deleting by id, by conversation or everything takes the weight out again")
    func deleted() {
        var stage = Stage.ready([.chat, .mail])
        for (number, conversation) in ["k", "k", "l", "l"].enumerated() {
            stage.donate("m\(number)", conversation: conversation, at: Double(number))
        }
        stage.donate("x", app: .mail, at: 4)
        stage.delete(.ids(["m3", "unknown"]), at: 10)
        #expect(anna(stage)?.outgoing == 3 && anna(stage)?.lastAt == .at(2))
        stage.delete(.conversation("k"), at: 11)
        #expect(anna(stage)?.outgoing == 1 && anna(stage, nil)?.outgoing == 2)
        stage.delete(.all, at: 12)
        #expect(anna(stage) == nil && anna(stage, nil)?.outgoing == 1)
        #expect(stage.state.shared.people.count == 1 && stage.state.apps[0].people.isEmpty)
        #expect(stage.state.apps[0].interactions.conversations.isEmpty)
    }

    @Test("I4, E6: a deletion beats older donations also when they arrive later, and no newer ones")
    func lateDonations() {
        for what in [InteractionDeleted.ids(["m"]), .conversation("k"), .all] {
            var stage = Stage.ready()
            stage.delete(what, at: 10)
            stage.donate("m", at: 9, from: .tablet)
            #expect(anna(stage) == nil)
            stage.donate("m", at: 11, from: .tablet)
            stage.delete(what, at: 10.5, from: .watch)
            #expect(anna(stage)?.lastAt == .at(11))
        }
    }

    @Test("I2, E6: a donation that its conversation's deletion covers still replaces older ones of its id")
    func bornDeleted() {
        for deletionComes in 0..<3 {
            var stage = Stage.ready()
            for step in 0..<3 {
                if step == deletionComes { stage.delete(.conversation("k"), at: 10, from: .watch) }
                if step == 0 { stage.donate("m", conversation: "k", at: 9, from: .tablet) }
            }
            // An older donation of another conversation: the id has been used again since.
            stage.donate("m", conversation: "other", at: 8, from: .phone)
            #expect(stage.suggestions().isEmpty)
            // A newer donation of another conversation: the deletion does not concern it.
            stage.donate("m", conversation: "other", at: 9.5, from: .phone)
            #expect(anna(stage)?.outgoing == 1)
        }
    }

    @Test(
        "What a donation must have: an id, a conversation, a sender when incoming, handles, a start that has come")
    func shape() {
        var stage = Stage.ready()
        func donate(_ change: (inout InteractionDonated, inout SendMessage) -> Void) -> RefusalCode? {
            var message = SendMessage(
                conversationID: "k", sender: Person(handle: "anna"), recipients: [Person(handle: "bob")])
            var body = InteractionDonated(
                interactionID: "m", direction: .incoming, intent: .sendMessage(message), startedAt: .at(1))
            change(&body, &message)
            body.intent = .sendMessage(message)
            return stage.send(.interactionDonated(body), app: .chat, at: 1, recorded: 1)
        }
        #expect(donate { _, _ in } == nil)
        #expect(donate { body, _ in body.interactionID = "" } == .fieldMissing)
        #expect(donate { _, message in message.conversationID = "" } == .fieldMissing)
        #expect(donate { _, message in message.sender = nil } == .fieldMissing)
        #expect(
            donate { body, message in (body.direction, message.sender) = (.outgoing, nil) } == nil)
        #expect(donate { _, message in message.sender?.handle = "" } == .fieldMissing)
        let long = String(repeating: "x", count: 256)
        #expect(donate { _, message in message.recipients = [Person(handle: long)] } == nil)
        #expect(donate { _, message in message.recipients = [Person(handle: long + "x")] } == .stringTooLong)
        let many = (0...1_000).map { Person(handle: "\($0)") }
        #expect(donate { _, message in message.recipients = many } == .tooMany)
        #expect(donate { body, _ in body.durationMicroseconds = -1 } == .fieldInvalid)
        #expect(donate { body, _ in body.startedAt = .at(301) } == nil)
        #expect(donate { body, _ in body.startedAt = .at(301.000_001) } == .clockSkew)
        #expect(stage.delete(.ids([]), at: 2) == .fieldMissing)
        #expect(stage.delete(.conversation(""), at: 2) == .fieldMissing)
        #expect(stage.delete(.ids((0...1_000).map(String.init)), at: 2) == .tooMany)
    }
}
