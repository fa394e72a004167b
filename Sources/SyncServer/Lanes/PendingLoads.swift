import EventStore
import FocusCore

/// What a load of a user is good for.
enum LoadUse: Equatable {
    case usable
    /// It lacks events of the user up to this version that the lane was not told one by one.
    case lacks(through: Version)
    /// Something changed meanwhile that the lane was not told event by event.
    case outdated
    /// It was made on a database server that lacks what the lane knew when it asked: one that was demoted goes on
    /// answering those who only read.
    case stale
}

/// The users whom a lane's `Loader` is asked for, or whose states its `Folder` has.
///
/// Flow: a user is needed → they wait for a question that has room → they are asked for → the answer is taken up. Next
/// is the user of whom least was loaded (`WorkAccounts`); of several, the one who was needed first. While they are
/// asked for, the lane goes on: what others append for them meanwhile is kept here, because the answer may lack it.
struct PendingLoads {
    /// A user who is asked for.
    private struct Asked {
        /// The question's number.
        var question: Int
        /// The head of the user's partition when the question was made. The lane has been told of all events from
        /// there on.
        var head: PartitionHead
        /// The user's events that others appended since.
        var events: [LoggedEvent] = []
        /// Payload bytes of `events`.
        var bytes = 0
        /// The version up to which the user's events since are not among `events`, because they are too many; zero: all
        /// are.
        var skippedTo = Version.zero
        /// Whether the answer may not be used: something changed that no event tells.
        var isOutdated = false
        /// Whether the user's turn ends with the answer; not of one whose state the `Folder` has.
        var hasTurn = false
    }

    /// How many questions are under way at once: while the lane takes up one answer, the loader is at the next.
    static let questionLimit = 2
    /// Payload bytes that are kept for a user. Past that their events are read from the log once more.
    static let keptBytes = 1024 * 1024

    /// How many users who do not wait are remembered for what was loaded of them.
    private static let goneUsers = 4_096

    /// Those who wait for a question; some that `isWaiting` does not name are not needed any more.
    private var accounts = WorkAccounts<UserID, Void>(goneLimit: goneUsers)
    private var isWaiting: Set<UserID> = []
    /// Those who are to be loaded: an outline of them lacked events, and so may the next one.
    private var needState: Set<UserID> = []
    private var asked: [UserID: Asked] = [:]
    private var questions: Set<Int> = []
    private var lastQuestion = 0
    /// Questions that the `Folder` answers, and about how many bytes the user's state of each takes.
    private var handedOver: [Int: Int] = [:]
    /// Whether the loader is to reach the database anew, because an answer came from another history of the log,
    /// or from a server that was left behind, or because another server took over.
    private var mustReconnect = false
    /// No question is made before this time, because the last one was refused, or answered by a server left behind.
    private var resumesAt = MonotonicTime(milliseconds: .min)

    /// How many users are to be loaded.
    var count: Int { isWaiting.count + asked.count }

    /// Whether the user is going to be loaded.
    func contains(_ id: UserID) -> Bool { asked[id] != nil || isWaiting.contains(id) }

    /// Adds the user, unless they are going to be loaded already.
    /// - Parameter inFull: whether an outline of the user does not do.
    mutating func need(_ id: UserID, inFull: Bool = false) {
        if inFull { needState.insert(id) }
        guard asked[id] == nil, isWaiting.insert(id).inserted else { return }
        accounts.wait(id, opening: ())
    }

    // MARK: Asking

    /// When the next question can be made; nil when nobody waits for one, or when answers have to come first.
    var nextQuestion: MonotonicTime? { isWaiting.isEmpty || questions.count >= Self.questionLimit ? nil : resumesAt }

    /// Makes the next question, for up to `limit` users; nil when there is none to ask now.
    /// - Parameters:
    ///   - head: gives the head of a user's partition as the lane knows it.
    ///   - cursors: gives the cursors of the sessions that wait for the user, if nothing else does; nil: an outline of
    ///     the user does not do.
    mutating func ask(
        limit: Int, now: MonotonicTime, head: (UserID) -> PartitionHead,
        cursors: (UserID) -> [Cursor]? = { _ in nil }
    ) -> LoadQuestion? {
        guard let time = nextQuestion, time <= now else { return nil }
        lastQuestion += 1
        questions.insert(lastQuestion)
        var users: [(Partition, UserID)] = []
        var outlined: [UserID: [Cursor]] = [:]
        while users.count < limit, let id = accounts.next() {
            guard isWaiting.remove(id) != nil else {
                accounts.endTurn(of: id, work: 0, waits: false)
                continue
            }
            let known = head(id)
            users.append((known.partition, id))
            asked[id] = Asked(question: lastQuestion, head: known, hasTurn: true)
            if needState.remove(id) == nil { outlined[id] = cursors(id) }
        }
        defer { mustReconnect = false }
        return LoadQuestion(number: lastQuestion, users: users, cursors: outlined, reconnects: mustReconnect)
    }

    // MARK: Folding beside the lane

    /// How many users are handed over, and about how many bytes their states take.
    var handedCount: Int { handedOver.count }
    var handedBytes: Int { handedOver.values.reduce(0, +) }

    /// Makes a question that the `Folder` answers, of a user whose state it is handed.
    /// - Parameters:
    ///   - bytes: about how many the state takes.
    ///   - head: that of the user's partition, behind the event that is to be folded.
    /// - Returns: the question's number.
    mutating func handOver(_ id: UserID, bytes: Int, head: PartitionHead) -> Int {
        lastQuestion += 1
        handedOver[lastQuestion] = bytes
        asked[id] = Asked(question: lastQuestion, head: head)
        return lastQuestion
    }

    // MARK: Meanwhile

    /// Keeps an event that another server appended, if its user is asked for.
    mutating func followed(_ event: LoggedEvent) {
        guard var user = asked.removeValue(forKey: event.user) else { return }
        user.bytes += event.payload.count
        if !user.isOutdated { user.events.append(event) }
        asked[event.user] = user
        if user.bytes > Self.keptBytes { skipped(event.user, to: event.version) }
    }

    /// Records that other servers appended events of the user, up to this version, that are not told one by one.
    mutating func skipped(_ id: UserID, to version: Version) {
        guard var user = asked.removeValue(forKey: id) else { return }
        (user.skippedTo, user.events, user.bytes) = (version, [], 0)
        asked[id] = user
    }

    /// Makes what an answer will say of the user useless; they are asked for again.
    mutating func outdate(_ id: UserID) {
        asked[id]?.isOutdated = true
        asked[id]?.events = []
    }

    /// Makes what answers will say of these users useless.
    mutating func outdate(where isOutdated: (UserID) -> Bool) {
        for id in asked.keys where isOutdated(id) { outdate(id) }
    }

    /// Makes the loader reach the database anew with the next question.
    mutating func reconnect() { mustReconnect = true }

    /// Makes the loader reach the database anew with the next question, and what it says before that useless.
    mutating func leaveServer() {
        mustReconnect = true
        outdate { _ in true }
    }

    /// Makes all answers that are still to come useless; the users are asked for again.
    mutating func restart() {
        for id in asked.keys.sorted() { putBack(id) }
        (questions, handedOver) = ([], [:])
    }

    /// Forgets all users: nobody needs them any more.
    mutating func removeAll() {
        (isWaiting, needState) = ([], [])
        accounts = WorkAccounts(goneLimit: Self.goneUsers)
        (asked, questions, handedOver) = ([:], [], [:])
    }

    // MARK: Answers

    /// Takes an answer; false when it is to be ignored, because it was asked for before `restart` or `removeAll`.
    mutating func ended(_ question: Int) -> Bool {
        questions.remove(question) != nil || handedOver.removeValue(forKey: question) != nil
    }

    /// Asks again for the question's users of whom the answer said nothing: they were too large to come with the
    /// others.
    mutating func askForRest(of question: Int) {
        for id in asked.filter({ $0.value.question == question }).keys.sorted() { putBack(id) }
    }

    /// The user waits as if they had not been asked for: who was needed later would pass them again and again otherwise.
    private mutating func putBack(_ id: UserID) {
        guard asked.removeValue(forKey: id)?.hasTurn == true else { return need(id) }
        isWaiting.insert(id)
        accounts.putBack(id)
    }

    /// Records that the database refused a question: its users are asked for again, after a while, and over a new
    /// connection, as a server that was left behind may refuse it for ever.
    mutating func failed(_ question: Int, until time: MonotonicTime) {
        askForRest(of: question)
        mustReconnect = true
        rest(until: time)
    }

    /// Lets no question be made before this time, because each new connection may reach a database server that was left
    /// behind.
    mutating func rest(until time: MonotonicTime) { resumesAt = time }

    /// Whether the user's state in an answer can be used, as far as what the lane knows of the log says.
    /// - Parameters:
    ///   - head: the head of the user's partition that the load saw.
    ///   - version: that of the state.
    func use(of id: UserID, at head: PartitionHead, version: Version) -> LoadUse {
        guard let user = asked[id] else { return .outdated }
        // The lane knew more of the log when the question was made, or a newer generation: another server is the primary.
        if head.nextOffset < user.head.nextOffset || head.generation < user.head.generation { return .stale }
        guard !user.isOutdated else { return .outdated }
        return version < user.skippedTo ? .lacks(through: user.skippedTo) : .usable
    }

    /// Ends the user's load.
    /// - Parameter bytes: about how many were loaded of them.
    /// - Returns: the events that the lane was told of since the question was made, in the log's order.
    mutating func remove(_ id: UserID, bytes: Int = 0) -> [LoggedEvent] {
        isWaiting.remove(id)
        needState.remove(id)
        guard let load = asked.removeValue(forKey: id) else { return [] }
        if load.hasTurn { accounts.endTurn(of: id, work: Work.load + bytes / Work.bytesPerUnit, waits: false) }
        return load.events
    }

    /// Asks again for a user whose load is of no use. It counts, so that nobody waits who is asked for with a user to
    /// whom that happens again and again.
    /// - Parameters:
    ///   - elsewhere: whether the answer came from another history of the log, or from a server left behind.
    ///   - inFull: whether an outline of the user does not do.
    mutating func again(_ id: UserID, elsewhere: Bool = false, inFull: Bool = false) {
        if elsewhere { mustReconnect = true }
        guard asked.removeValue(forKey: id)?.hasTurn == true else { return need(id, inFull: inFull) }
        if inFull { needState.insert(id) }
        isWaiting.insert(id)
        accounts.endTurn(of: id, work: Work.load, waits: true)
    }
}
