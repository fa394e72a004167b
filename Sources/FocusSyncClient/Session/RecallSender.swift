import FocusCore

/// Where recalling stands: which events are asked for next (rule P10).
public struct RecallPosition: Hashable, Sendable {
    /// Places in the queue up to this one were asked for.
    var place = Int64.min
    /// The last place that is asked for: what was queued later was never sent. Nil: not looked up yet.
    var through: Int64?

    public init() {}
}

/// What came of recalling.
public struct RecallReport: Hashable, Sendable {
    /// Events that the log held at their places.
    public var held = 0
    /// Events that it did not hold: they go on in a new incarnation.
    public var moved = 0

    public init() {}
}

/// Which unanswered events a store asks the log about, one question at a time: it happens seldom, and ten questions are
/// all that a queue has. Events that an answer leaves out are asked for again.
struct RecallSender: Hashable, Sendable {
    struct InFlight: Hashable, Sendable {
        var recall: Recall
        var before: RecallPosition
        var after: RecallPosition
    }

    var position = RecallPosition()
    var inFlight: InFlight?
    /// The events of a question whose answer had only the first of them.
    var rest: InFlight?
    var report = RecallReport()
    /// When asking goes on after an error.
    var resumesAt: MonotonicTime?
    /// A question was asked for and not sent yet.
    var isAsking = false
    /// Whether acknowledged events are to be offered in the new incarnation (rule S6).
    let offersHeld: Bool

    init(offersHeld: Bool) { self.offersHeld = offersHeld }

    mutating func next() -> [ClientAction] {
        guard !isAsking, inFlight == nil, resumesAt == nil else { return [] }
        if let rest {
            (inFlight, self.rest) = (rest, nil)
            return [.send(.recall(rest.recall))]
        }
        isAsking = true
        return [.sendRecall(position)]
    }

    mutating func sent(_ recall: Recall, next: RecallPosition) {
        inFlight = InFlight(recall: recall, before: position, after: next)
        position = next
    }

    /// So many of the question's events were answered.
    mutating func answered(_ count: Int) {
        guard let sent = inFlight else { return }
        inFlight = nil
        guard count < sent.recall.events.count else { return }
        var left = sent
        left.recall.firstSequence = sent.recall.firstSequence.advanced(by: count)
        left.recall.events.removeFirst(count)
        rest = left
    }

    /// The question was not taken: ask it again.
    mutating func rewind() {
        guard let sent = inFlight else { return }
        (rest, inFlight) = (sent, nil)
    }
}
