import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Questions about other users on their way through a lane (rules F6, V5, Q1).
@Suite struct PeerQuestionsTests {
    private let chat = AppID("com.example.chat")!
    private let anna = UserID.random()
    private let ben = UserID.random()
    private let asker = Viewer(user: .random(), scope: .system)
    private let wall = Timestamp(microseconds: 1_800_000_000_000_000)

    private func question(
        _ user: UserID, by viewer: Viewer? = nil, session: UInt64 = 1, request: UInt64 = 7
    ) -> PeerQuestion {
        PeerQuestion(
            LaneSamples.handle(session), viewer ?? asker, request: request, ReachQuestion(user: user, app: chat))
    }

    private func answer(
        _ questions: inout PeerQuestions, mayTell: Bool = true, _ look: (PeerQuestion) -> PeerQuestions.Look
    ) -> [Reach] {
        questions.answer(now: MonotonicTime(milliseconds: 0), wall: wall, mayTell: mayTell, look: look).map(\.1)
    }

    private func deadline(_ questions: PeerQuestions) -> Int64? {
        questions.nextDeadline(now: MonotonicTime(milliseconds: 100), retryMilliseconds: 50)?.milliseconds
    }

    @Test("F6: a member is answered, and nobody else; nothing is left behind")
    func answers() {
        var questions = PeerQuestions()
        questions.ask(question(anna))
        questions.ask(question(ben))
        #expect(deadline(questions) == 100)
        let answers = answer(&questions) { asked in
            asked.question.user == anna ? .member(isFocused: false, decide: { .ringsNow }) : .nobody
        }
        #expect(answers == [.ringsNow, .untold])
        #expect(questions.isEmpty && deadline(questions) == nil && questions.takeUnsure().isEmpty)
    }

    @Test("F5, V5: who is in no audience is told so, and the user is not loaded; a member waits for the load")
    func audiences() {
        var questions = PeerQuestions()
        for user in [anna, ben] { questions.ask(question(user)) }
        #expect(answer(&questions) { _ in .notInMemory }.isEmpty)
        #expect(Set(questions.takeUnsure().map(\.user)) == [anna, ben] && questions.takeUnsure().isEmpty)
        #expect(questions.awaitingLoad.isEmpty && deadline(questions) == nil)
        questions.learned(anna, asker, isPossible: false)
        questions.learned(ben, asker, isPossible: true)
        #expect(questions.awaitingLoad == [ben] && deadline(questions) == 100)
        #expect(answer(&questions) { _ in .notInMemory } == [.untold])
        questions.endWaits { $0 == ben }
        #expect(questions.awaitingLoad == [ben] && deadline(questions) == nil)
        questions.endWaits { _ in false }
        #expect(questions.awaitingLoad.isEmpty)
        #expect(answer(&questions) { _ in .member(isFocused: true, decide: { .ringsNow }) } == [.ringsNow])
        #expect(questions.isEmpty)
    }

    @Test("V5: what the database said of an audience does not count once something happened to its user")
    func changed() {
        var questions = PeerQuestions()
        questions.ask(question(anna))
        _ = answer(&questions) { _ in .notInMemory }
        questions.learned(anna, asker, isPossible: false)
        questions.changed(anna)
        #expect(answer(&questions) { _ in .notInMemory }.isEmpty)
        #expect(questions.takeUnsure().count == 2, "it is asked again")
    }

    @Test("V2: nothing is answered while a lane has not confirmed its heads")
    func heldBack() {
        var questions = PeerQuestions()
        questions.ask(question(anna))
        #expect(answer(&questions, mayTell: false) { _ in .nobody }.isEmpty && deadline(questions) == 150)
        #expect(answer(&questions) { _ in .nobody } == [.untold])
    }

    @Test("The questions of a session that has ended are gone, nobody is loaded for them, and nothing is left to do")
    func closed() {
        var questions = PeerQuestions()
        questions.ask(question(anna))
        _ = answer(&questions) { _ in .notInMemory }
        questions.learned(anna, asker, isPossible: true)
        questions.ask(question(ben))
        questions.close(1)
        #expect(questions.awaitingLoad.isEmpty)
        #expect(answer(&questions) { _ in .nobody }.isEmpty)
        #expect(questions.isEmpty && deadline(questions) == nil)
    }

    @Test("Q1: of who asks much and who asks little both are served in a turn, whose work is bounded")
    func fair() {
        var questions = PeerQuestions()
        for request in 0..<1_000 as Range<UInt64> { questions.ask(question(anna, request: request)) }
        let other = Viewer(user: .random(), scope: .system)
        questions.ask(question(anna, by: other, request: 9_999))
        // Who is told something costs the asker what a stranger does.
        let first = questions.answer(now: MonotonicTime(milliseconds: 0), wall: wall, mayTell: true) { asked in
            asked.request % 2 == 0 ? .nobody : .member(isFocused: true, decide: { .untold })
        }
        #expect(first.count == PeerQuestions.workPerTurn / Work.reach)
        #expect(first.prefix(3).contains { $0.0.request == 9_999 })
        #expect(deadline(questions) == 100)
        var count = first.count
        // What is left is answered by later turns.
        while !questions.isEmpty, count < 2_000 { count += answer(&questions) { _ in .nobody }.count }
        #expect(count == 1_001)
    }

    @Test("Q1: who had the database asked has had more done, and is answered less often than who had not")
    func dear() {
        var questions = PeerQuestions()
        let other = Viewer(user: .random(), scope: .system)
        for request in 0..<50 as Range<UInt64> { questions.ask(question(anna, request: request)) }
        #expect(answer(&questions) { _ in .notInMemory }.isEmpty && questions.takeUnsure().count == 50)
        questions.learned(anna, asker, isPossible: true)
        questions.endWaits { _ in false }
        for request in 100..<150 as Range<UInt64> { questions.ask(question(ben, by: other, request: request)) }
        let first = questions.answer(now: MonotonicTime(milliseconds: 0), wall: wall, mayTell: true) { _ in .nobody }
        let cheap = first.count { $0.0.request >= 100 }
        #expect(cheap > 5 * (first.count - cheap), "\(cheap) of \(first.count)")
    }
}
