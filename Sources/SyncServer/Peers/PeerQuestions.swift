import DequeModule
import FocusCore

/// The questions of a lane whether messages would reach its users (rules F6, V5). A session has few fetches under way
/// (`SessionLimits.fetches`), which bounds what waits here.
///
/// Flow: `ask` → a turn of its asker → an answer; or the user is not in memory → `takeUnsure`: is the asker in their
/// audience → `learned`: no, and that is the answer, or the user is loaded → `endWaits` → another turn.
struct PeerQuestions {
    /// What a lane knows of the user whom a question is about.
    enum Look {
        /// The asker is in their audience: what Watch tells the asker, and how the question is decided.
        case member(isFocused: Bool, decide: () -> Reach)
        /// Nothing may be told of them.
        case nobody
        case notInMemory
    }

    private struct Pending {
        var question: PeerQuestion
        /// The asker is not in the audience of the user, who is not in memory.
        var isExcluded = false
        /// It has waited for the database.
        var hasWaited = false
    }

    /// How much work a turn of the lane does for questions; what is left waits for the next one (rule Q1).
    static let workPerTurn = 2_000

    private var pending: [Int: Pending] = [:]
    private var lastNumber = 0
    /// The questions that can be looked at, by the user who asks. Some may be gone.
    private var queue = WorkAccounts<UserID, Deque<Int>>(goneLimit: 1_024)
    /// The questions about users who are not in memory.
    private var waiting: [UserID: Set<Int>] = [:]
    /// Those of them that nobody has asked the database about.
    private var unasked: [(user: UserID, viewer: Viewer)] = []
    /// The users who have to be loaded.
    private(set) var awaitingLoad: Set<UserID> = []
    private var recent = RecentReaches()
    /// Whether nothing might be told at the last call of `answer`.
    private var isHeldBack = false

    /// Whether no question waits, nor has left its number in the queue.
    var isEmpty: Bool { pending.isEmpty && queue.isEmpty }

    /// When to call `answer` next; nil while the database has to answer first.
    /// - Parameter retryMilliseconds: how long to wait after a call at which nothing might be told.
    func nextDeadline(now: MonotonicTime, retryMilliseconds: Int64) -> MonotonicTime? {
        guard !queue.isEmpty else { return nil }
        return isHeldBack ? now.adding(milliseconds: retryMilliseconds) : now
    }

    mutating func ask(_ question: PeerQuestion) {
        lastNumber += 1
        pending[lastNumber] = Pending(question: question)
        enqueue(lastNumber, question)
    }

    private mutating func enqueue(_ number: Int, _ question: PeerQuestion) {
        queue.wait(question.viewer.user, opening: [])
        _ = queue.with(question.viewer.user) { $0.append(number) }
    }

    /// Drops the questions of a session that has ended.
    mutating func close(_ session: UInt64) {
        for (number, question) in pending where question.question.handle.id == session { drop(number, question) }
    }

    private mutating func drop(_ number: Int, _ question: Pending) {
        let user = question.question.question.user
        pending[number] = nil
        waiting[user]?.remove(number)
        guard waiting[user]?.isEmpty == true else { return }
        waiting[user] = nil
        awaitingLoad.remove(user)
    }

    // MARK: Answers

    /// The answers to give now, with their questions.
    /// - Parameters:
    ///   - mayTell: false while any lane has not confirmed its heads: then there are none.
    ///   - look: what is known of the user whom a question is about.
    mutating func answer(
        now: MonotonicTime, wall: Timestamp, mayTell: Bool, look: (PeerQuestion) -> Look
    ) -> [(PeerQuestion, Reach)] {
        isHeldBack = !mayTell
        guard mayTell else { return [] }
        var (answers, work): ([(PeerQuestion, Reach)], Int) = ([], 0)
        while work < Self.workPerTurn, let asker = queue.next() {
            let next = queue.with(asker) { ($0.popFirst(), !$0.isEmpty) }
            var cost = 1
            if let number = next?.0, let question = pending[number] {
                cost = Work.reach + (question.hasWaited ? Work.lookUp : 0)
                if let reach = answer(question, number, now, wall, look) { answers.append((question.question, reach)) }
            }
            work += cost
            queue.endTurn(of: asker, work: cost, waits: next?.1 ?? false)
        }
        return answers
    }

    /// Nil when the question has to wait.
    private mutating func answer(
        _ question: Pending, _ number: Int, _ now: MonotonicTime, _ wall: Timestamp, _ look: (PeerQuestion) -> Look
    ) -> Reach? {
        let asked = question.question
        let reach: Reach
        switch look(asked) {
        case .member(let isFocused, let decide):
            reach = recent.answer(
                asked.question, asked.viewer, isFocused: isFocused, now: now, wall: wall, decide: decide)
        case .nobody: reach = .untold
        case .notInMemory where question.isExcluded: reach = .untold
        case .notInMemory:
            pending[number]?.hasWaited = true
            waiting[asked.question.user, default: []].insert(number)
            unasked.append((asked.question.user, asked.viewer))
            return nil
        }
        drop(number, question)
        return reach
    }

    // MARK: The database

    /// Removes and returns the users who are not in memory, and the askers of whom it is to be asked whether they are
    /// in the audience.
    mutating func takeUnsure() -> [(user: UserID, viewer: Viewer)] {
        defer { unasked = [] }
        return unasked
    }

    /// Takes up whether the viewer may be in the audience of a user who is not in memory: if so, the user is to be
    /// loaded.
    mutating func learned(_ user: UserID, _ viewer: Viewer, isPossible: Bool) {
        for number in (waiting[user] ?? []).sorted() {
            guard let question = pending[number], question.question.viewer == viewer else { continue }
            guard !isPossible else {
                awaitingLoad.insert(user)
                continue
            }
            pending[number]?.isExcluded = true
            resume(number, question)
        }
    }

    /// Something happened to the user: who was not in their audience may be there now.
    mutating func changed(_ user: UserID) {
        guard !pending.isEmpty else { return }
        for (number, question) in pending where question.isExcluded && question.question.question.user == user {
            pending[number]?.isExcluded = false
        }
    }

    /// Looks again at questions whose users were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    mutating func endWaits(_ isAwaiting: (UserID) -> Bool) {
        for user in awaitingLoad.sorted() where !isAwaiting(user) {
            for number in (waiting[user] ?? []).sorted() { pending[number].map { resume(number, $0) } }
            awaitingLoad.remove(user)
        }
    }

    private mutating func resume(_ number: Int, _ question: Pending) {
        let user = question.question.question.user
        waiting[user]?.remove(number)
        if waiting[user]?.isEmpty == true { waiting[user] = nil }
        enqueue(number, question.question)
    }
}
