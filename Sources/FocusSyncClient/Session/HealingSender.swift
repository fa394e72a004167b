import FocusCore

/// Decides which acknowledged events are offered next to a log that lost its tail: oldest first, within the server's
/// limit of unanswered frames.
struct HealingSender: Hashable, Sendable {
    struct InFlight: Hashable, Sendable {
        var request: HealRequest
        var before: HealingPosition
        var after: HealingPosition
    }

    var position: HealingPosition
    var inFlight: [InFlight] = []
    var report = HealingReport()
    /// When offering goes on after an error; nil while it does not pause.
    var resumesAt: MonotonicTime?
    /// Sequences before the next request that both the log and the store lack.
    var missing: LostEvents?
    /// For each frame that met a conflict in a session of protocol 1, its events that follow the conflict. They are
    /// offered when nothing else is in flight, because an answer does not say with which sequence its frame began.
    private(set) var rests: [HealingRest] = []
    /// The position of a `sendHealing` that `healingSent` has not answered yet.
    var asked: HealingPosition?
    /// Whether everything was sent.
    var isComplete = false
    /// The incarnations that are ended a second time (rule P10). Each is ended after the store has offered its events
    /// of that incarnation, so that those get their places back, and before it offers any of a later incarnation: an
    /// event that recalling had moved there must not come back to its old place as well.
    private(set) var ending: [EndedIncarnation]
    /// Whether everything up to the first incarnation in `ending` was sent.
    private var reachesEnd = false
    /// Whether the Recall that ends the first incarnation in `ending` was sent.
    var isEnding = false
    /// Whether the server has yet to answer something.
    var awaitsAnswer: Bool { !inFlight.isEmpty || isEnding }
    /// Why the incarnation cannot be continued after the healing; nil: it can.
    let leaves: IncarnationReason?
    let window: Int
    let maximumBytes: Int

    init(_ welcome: Welcome, ending: [EndedIncarnation], leaves: IncarnationReason?) {
        (self.ending, self.leaves) = (ending, leaves)
        position = HealingPosition(
            place: 0, next: welcome.lastSequence.next, logged: welcome.lastSequence, mayLose: !welcome.isEnded,
            through: ending.first?.place)
        window = max(1, Int(welcome.maximumUnacknowledgedAppends) - 1)
        maximumBytes = min(AppendSender.frameBytes, Int(welcome.maximumFrameBytes))
    }

    /// At most one request at a time: the answer asks for the next.
    mutating func next() -> [ClientAction] {
        guard asked == nil, !isEnding, resumesAt == nil, inFlight.count < window else { return [] }
        if let rest = rests.first {
            guard inFlight.isEmpty else { return [] }
            sent(rest.request, next: position)
            return [.send(.heal(rest.request))]
        }
        guard !isComplete else { return [] }
        if let lost = missing {
            missing = nil
            sent(.lost(lost), next: position)
            return [.send(.heal(.lost(lost)))] + next()
        }
        if reachesEnd, let first = ending.first?.incarnation {
            // Until all frames are answered, one of its events may have to be offered again.
            guard inFlight.isEmpty else { return [] }
            isEnding = true
            return [.send(.recall(Recall(incarnation: first, firstSequence: DeviceSequence(1), events: [])))]
        }
        asked = position
        return [.sendHealing(position, maximumBytes: maximumBytes)]
    }

    /// - Parameter request: nil: nothing is left up to `position.through`.
    mutating func sent(_ request: HealRequest?, next: HealingPosition) {
        guard let request else {
            (reachesEnd, isComplete) = (!ending.isEmpty, ending.isEmpty)
            return
        }
        inFlight.append(InFlight(request: request, before: position, after: next))
        position = next
    }

    /// The first incarnation in `ending` takes no further event now, or belongs to another scope.
    mutating func ended() {
        ending.removeFirst()
        (isEnding, reachesEnd) = (false, false)
        position.through = ending.first?.place
    }

    /// The server has answered the whole first frame in flight.
    mutating func taken() {
        let request = inFlight.removeFirst().request
        guard let rest = rests.first, rest.request == request else { return }
        rests.removeFirst()
        report.conflicts.append(rest.passedOver)
    }

    /// In a session of protocol 1 the server has stored the first frame in flight only up to a place that has another
    /// event, or that takes no event any more.
    /// - Parameter sequence: that place; nil: nothing of the frame can be stored.
    mutating func stopped(at sequence: DeviceSequence?) {
        let request = inFlight.removeFirst().request
        var first = sequence ?? request.firstSequence
        var index = rests.endIndex
        if let rest = rests.first, rest.request == request {
            rests.removeFirst()
            index = rests.startIndex
            if first == rest.from { first = rest.conflict } else { report.conflicts.append(rest.passedOver) }
        }
        if let sequence, let rest = HealingRest(request, behind: sequence, conflict: first) {
            rests.insert(rest, at: index)
        } else {
            report.conflicts.append(
                LostEvents(incarnation: request.incarnation, first: first, last: request.lastSequence))
        }
    }

    /// The first frame in flight does not begin where the log goes on. The server reports a gap once (rule P4), so the
    /// next request closes it.
    /// - Parameter expected: the sequence at which the log goes on.
    mutating func missed(_ expected: DeviceSequence) {
        guard let head = inFlight.first else { return }
        let isRest = rests.first?.request == head.request
        // The log expects an event for a place where this store's event conflicts. It stores nothing there, and so
        // nothing after it either.
        if isRest, !rests[0].holds(expected) { return stopped(at: nil) }
        rewind()
        // The rest of an older incarnation is offered first; its answers say nothing about this incarnation.
        if let rest = rests.first, rest.incarnation != head.request.incarnation { return }
        if rests.first?.holds(expected) == true {
            rests[0].from = expected
        } else if rests.isEmpty, expected < head.request.firstSequence {
            missing = LostEvents(
                incarnation: head.request.incarnation, first: expected,
                last: head.request.firstSequence.advanced(by: -1))
        }
    }

    /// Offers everything in flight again, because the server ignores it.
    mutating func rewind() {
        isEnding = false
        guard let head = inFlight.first else { return }
        position = head.before
        inFlight.removeAll()
        (isComplete, reachesEnd) = (false, false)
    }
}

extension HealRequest {
    /// The sequence of the last event that the request is about.
    var lastSequence: DeviceSequence {
        switch self {
        case .reoffer(let offer): offer.receipt.through
        case .lost(let lost): lost.last
        }
    }
}
