import FocusCore

/// Decides which unanswered events a store asks the log about, one question at a time: recalling is rare, and the
/// events of a full queue take ten questions. Events that an answer leaves out are asked about again.
struct RecallSender: Hashable, Sendable {
    struct InFlight: Hashable, Sendable {
        var recall: Recall
        var before: RecallPosition
        var after: RecallPosition
    }

    var position = RecallPosition()
    var inFlight: InFlight?
    /// The events of a question that its answer left out.
    var rest: InFlight?
    var report = RecallReport()
    /// When asking goes on after an error; nil while it does not pause.
    var resumesAt: MonotonicTime?
    /// Whether a `sendRecall` was returned that `recallSent` has not answered yet.
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

    /// The first `count` events of the question were answered.
    mutating func answered(_ count: Int) {
        guard let sent = inFlight else { return }
        inFlight = nil
        guard count < sent.recall.events.count else { return }
        var left = sent
        left.recall.firstSequence = sent.recall.firstSequence.advanced(by: count)
        left.recall.events.removeFirst(count)
        rest = left
    }

    /// Asks the question again, because the server did not answer it.
    mutating func rewind() {
        guard let sent = inFlight else { return }
        (rest, inFlight) = (sent, nil)
    }
}
