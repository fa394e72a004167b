import DequeModule
import EventStore
import FocusCore

/// Audiences that a lane's `Loader` is asked for.
struct AudienceQuestion: Sendable {
    var number: Int
    var entries: [AudienceEntry]
    /// The generation of the read model that the lane knows.
    var generation: Int32
    /// Whether the database is to be reached over a new connection.
    var reconnects: Bool
}

/// The answer to an `AudienceQuestion`; or why the database could not be asked.
struct AudienceAnswer: Sendable {
    var number: Int
    var found: Result<FoundAudiences, any Error>
}

/// The viewers of users who are not in memory: before a user is loaded for somebody who watches them, the database is
/// asked whether that viewer may be in their audience. So nobody makes a server load users who show them nothing, and
/// the time that an answer takes says nothing of such a user (rule F5).
///
/// Flow: an entry is needed → it waits for a question → it is asked for, one question at a time → the answer is taken up.
struct PendingAudiences {
    /// Entries of a question.
    static let limit = 1_024

    /// In the order in which they were needed.
    private var waiting: Deque<AudienceEntry> = []
    private var isWaiting: Set<AudienceEntry> = []
    /// The entries of the question under way, and whether something happened to their user since.
    private var asked: [AudienceEntry: Bool] = [:]
    /// Where the partitions of these entries ended when the question was made.
    private var ends: [Partition: LogOffset] = [:]
    private var question: Int?
    private var lastQuestion = 0
    private var mustReconnect = false
    /// No question is made before this time, because the last one was refused, or answered by a server left behind.
    private var resumesAt = MonotonicTime(milliseconds: .min)

    /// How many entries are asked for, or will be.
    var count: Int { waiting.count + asked.count }

    /// Adds the entry, unless it is going to be asked for.
    mutating func need(_ entry: AudienceEntry) {
        guard asked[entry] == nil, isWaiting.insert(entry).inserted else { return }
        waiting.append(entry)
    }

    /// When the next question can be made; nil when there is none, or when an answer has to come first.
    var nextQuestion: MonotonicTime? { waiting.isEmpty || question != nil ? nil : resumesAt }

    /// Makes the next question; nil when there is none to ask now.
    /// - Parameter head: gives the head of a partition as the lane knows it.
    mutating func ask(now: MonotonicTime, head: (Partition) -> PartitionHead) -> AudienceQuestion? {
        guard let time = nextQuestion, time <= now, let first = waiting.first else { return nil }
        lastQuestion += 1
        question = lastQuestion
        let shown = head(first.partition).generation
        var entries: [AudienceEntry] = []
        ends = [:]
        while entries.count < Self.limit, let entry = waiting.first, head(entry.partition).generation == shown {
            ends[entry.partition] = head(entry.partition).nextOffset
            waiting.removeFirst()
            isWaiting.remove(entry)
            asked[entry] = false
            entries.append(entry)
        }
        defer { mustReconnect = false }
        return AudienceQuestion(number: lastQuestion, entries: entries, generation: shown, reconnects: mustReconnect)
    }

    /// Makes the loader reach the database anew with the next question.
    mutating func reconnect() { mustReconnect = true }

    /// Makes what an answer will say of the user useless: something happened to them.
    mutating func changed(_ user: UserID) {
        for entry in asked.keys where entry.user == user { asked[entry] = true }
    }

    /// Makes the answer that is still to come useless; its entries are asked for again.
    mutating func restart() {
        question = nil
        askAgain(asked.keys)
    }

    /// Takes an answer.
    /// - Parameter isKnown: whether the lane's log leads through the moment at which the partition ended there.
    /// - Returns: the entries of which it says something, and whether each may be in the audience.
    mutating func takeUp(
        _ answer: AudienceAnswer, now: MonotonicTime, pauseMilliseconds: Int64, isKnown: (PartitionHead) -> Bool
    ) -> [(entry: AudienceEntry, isPossible: Bool)] {
        guard answer.number == question else { return [] }
        guard case .success(let found) = answer.found else {
            restart()
            // A server that was left behind may answer so for ever: it lacks the generation that the lane knows.
            mustReconnect = true
            resumesAt = now.adding(milliseconds: pauseMilliseconds)
            return []
        }
        question = nil
        // Where a partition ends before the moment of the question, a server answered that was left behind.
        let isRecent = { [ends] (head: PartitionHead) in
            head.nextOffset >= ends[head.partition] ?? .zero
        }
        let known = Set(found.heads.filter { isRecent($0) && isKnown($0) }.map(\.partition))
        // A partition without a head is not in the log, so there is nobody to be told of.
        let unknown = Set(found.heads.map(\.partition)).subtracting(known)
        if !unknown.isEmpty {
            mustReconnect = true
            resumesAt = now.adding(milliseconds: pauseMilliseconds)
        }
        let unusable = asked.filter { $0.value || unknown.contains($0.key.partition) }.keys
        let usable = Set(asked.keys).subtracting(unusable)
        askAgain(unusable)
        return usable.sorted().map { ($0, found.possible.contains($0)) }
    }

    private mutating func askAgain(_ entries: some Collection<AudienceEntry>) {
        let entries = entries.sorted()
        asked = [:]
        for entry in entries { need(entry) }
    }
}
