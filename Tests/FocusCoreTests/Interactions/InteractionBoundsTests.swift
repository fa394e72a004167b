import Testing

@testable import FocusCore

@Suite("UserState: bounds of interactions") struct InteractionBoundsTests {
    /// An app with the maximum of donations, "m1", "m2" …, each with another person and a second after the one before.
    private func full() -> Stage {
        var stage = Stage.ready()
        for number in 1...EventLimits.donationsPerApp {
            stage.donate("m\(number)", with: "p\(number)", at: Double(number))
        }
        return stage
    }

    @Test("E5: of 10,001 donations the oldest leaves with its weight, and no older one of its id comes back")
    func donations() throws {
        var stage = full()
        #expect(stage.suggestions().count == 10_000)
        #expect(stage.donate("new", with: "new", at: 10_001) == nil)
        #expect(stage.state.apps[0].interactions.donatedCount == 10_000)
        #expect(stage.suggestions()["p1"] == nil && stage.suggestions(nil)["p1"] == nil)
        #expect(stage.suggestions()["p2"] != nil && stage.suggestions()["new"] != nil)
        stage.donate("m1", with: "p1", at: 0.5, from: .tablet)
        #expect(stage.suggestions()["p1"] == nil)
        // A donation older than all others leaves at once.
        stage.donate("older", with: "older", at: 1.5, from: .tablet)
        #expect(stage.suggestions()["older"] == nil && stage.suggestions()["p2"] != nil)
        // Replacing a donation takes no more room. A notification may refer to a donation that is there, but not to one
        // that left.
        stage.donate("m2", .incoming, with: "p2", at: 10_002)
        #expect(stage.state.apps[0].interactions.donatedCount == 10_000)
        #expect(stage.communicate("n", about: "m2", at: 10_003) == nil)
        #expect(stage.communicate("n", about: "m1", at: 10_003) == .interactionNotDonated)
        var reloaded = stage
        reloaded.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        for number in 0..<3 {
            stage.donate("y\(number)", at: 10_004 + Double(number))
            reloaded.donate("y\(number)", at: 10_004 + Double(number))
        }
        #expect(stage.suggestions()["p3"] == nil && stage.rows == reloaded.rows)
        #expect(reloaded.state.approximateBytes == stage.state.approximateBytes)
    }

    @Test("E5: at most 10,000 deletions of ids, and of conversations, are remembered; the oldest are forgotten")
    func deletions() {
        var stage = Stage.ready()
        for batch in 0..<11 {
            stage.delete(.ids((0..<1_000).map { "d\(batch * 1_000 + $0)" }), at: Double(100 + batch))
        }
        for number in 0...EventLimits.rememberedDeletionsPerApp {
            stage.delete(.conversation("k\(number)"), at: 200 + Double(number))
        }
        #expect(stage.state.apps[0].interactions.rememberedCount == 10_000)
        #expect(stage.rows.keys.count { $0.collection == .interactions } == 20_000)
        stage.donate("d5", with: "anna", conversation: "k0", at: 50, from: .tablet)
        stage.donate("d5005", with: "bob", conversation: "k0", at: 50, from: .tablet)
        stage.donate("m", with: "carl", conversation: "k1", at: 50, from: .tablet)
        #expect(stage.suggestions().keys.sorted() == ["anna"])
        // The deletion of everything covers the remembered ones.
        stage.delete(.all, at: 20_000)
        #expect(stage.rows.keys.count { $0.collection == .interactions } == 1)
        stage.donate("d5005", with: "bob", at: 19_999, from: .tablet)
        #expect(stage.suggestions().isEmpty)
    }

    @Test(
        "I4, E5: of ids that were deleted at the same moment, those are forgotten first that come first by their bytes")
    func deletedAlike() {
        var stage = Stage.ready()
        for batch in 0..<10 {
            stage.delete(.ids((0..<1_000).map { "d\(batch * 1_000 + $0)" }), at: Double(100 + batch))
        }
        for (number, id) in ["d0", "d1", "d10", "d100", "d101"].enumerated() {
            stage.delete(.ids(["new\(number)"]), at: Double(200 + number))
            let key = RowKey(.interactions, app: .chat, key: InteractionKey.interaction(ByteText(id)).text)
            #expect(stage.rows[key] == nil)
        }
    }

    @Test("E5: an app's interactions are with at most 50,000 people")
    func people() {
        var stage = Stage.ready()
        func donate(_ batch: Int, _ people: Range<Int>) -> RefusalCode? {
            let message = SendMessage(conversationID: "k", recipients: people.map { Person(handle: "p\($0)") })
            return stage.send(
                .interactionDonated(
                    InteractionDonated(
                        interactionID: "m\(batch)", direction: .outgoing, intent: .sendMessage(message),
                        startedAt: .at(0))), app: .chat, at: 1)
        }
        for batch in 0..<50 { #expect(donate(batch, batch * 1_000..<batch * 1_000 + 1_000) == nil) }
        #expect(stage.state.apps[0].people.count == EventLimits.peoplePerApp)
        #expect(donate(50, 49_000..<50_001) == .tooMany)
        #expect(donate(51, 49_001..<50_001) == .tooMany)
        #expect(donate(52, 49_000..<50_000) == nil)
        // Only people of present donations count.
        stage.delete(.ids(["m0"]), at: 2)
        #expect(donate(53, 49_001..<50_001) == nil)
    }

    @Test("E5: folding a donation costs its own size, however many there are")
    func cost() {
        // All donations are of one person and one day; the touched rows show which rows the fold read or wrote.
        var stage = Stage.ready()
        for number in 1...300 { stage.donate("m\(number)", at: Double(number), from: .phone) }
        stage.donate("m1", at: 301)
        // The rows of the stream, the app's own, the device, the donation, and two of the person.
        #expect(stage.touched.count == 6)
    }
}
