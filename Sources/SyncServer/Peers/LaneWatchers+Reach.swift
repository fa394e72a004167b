import EventStore
import FocusCore
import FocusWire

/// Answers whether messages would reach the lane's users (rules F6, V5). Who may know is decided as for those who
/// watch: a user is loaded for nobody who is not in their audience, and nothing is told while any lane has not
/// confirmed its heads.
extension LaneWatchers {
    func ask(_ question: PeerQuestion) { questions.ask(question) }

    /// Answers the questions whose users are in memory, or of whom nothing may be told.
    func answerQuestions(_ users: some UserDirectory) {
        guard !questions.isEmpty else { return }
        let (now, wall) = (now, context.clock.wall())
        let mayTell = context.isFresh(since: context.freshness.oldest)
        let answers = questions.answer(now: now, wall: wall, mayTell: mayTell) { asked in
            guard let user = users[asked.question.user] else {
                return users.isQuarantined(asked.question.user) ? .nobody : .notInMemory
            }
            user.lastUsed = now.milliseconds
            guard let isFocused = user.reading({ $0.status(in: asked.question.app, shownTo: asked.viewer) }) else {
                return .nobody
            }
            return .member(isFocused: isFocused) {
                user.reading { $0.reach(asked.question, from: asked.viewer, at: wall) }
            }
        }
        need(questions.takeUnsure())
        for (asked, reach) in answers {
            let fetched = Fetched(request: asked.request, version: .zero, .reach(reach))
            deliveries.addReach(FrameCodec.frame(.fetched(fetched)), to: asked.handle)
        }
    }
}
