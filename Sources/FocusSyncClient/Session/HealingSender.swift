import FocusCore

/// Where a healing stands: what is offered next (rule S6).
public struct HealingPosition: Hashable, Sendable {
    /// Places in the store up to this one were offered.
    var place: Int64
    /// The first sequence of the current incarnation that was neither offered nor declared lost.
    var next: DeviceSequence
    /// Where the log ended in the current incarnation when it began.
    var logged: DeviceSequence
    /// Whether what is not held of the current incarnation is declared lost: not when it has ended and takes nothing more.
    var mayLose = true
    /// The last place in the store that is offered before an incarnation is ended again. Nil: everything is.
    var through: Int64?
}

/// What came of a healing.
public struct HealingReport: Hashable, Sendable {
    /// Events that the log has again; those that it had kept all the same count too.
    public var events = 0
    /// What the log had acknowledged and neither it nor this device holds any more.
    public var lost: [LostEvents] = []
    /// Events that had been accepted once, came without a valid receipt, and were refused now.
    public var refused: [RefusedEvent] = []
    /// Events whose places are others' now, or of an ended incarnation: they are appended again in a new one.
    public var displaced = 0
    /// The log has other events in these places: a copy of this device's store appended them.
    public var conflicts: [LostEvents] = []

    public init() {}
}

/// Which acknowledged events are offered next to a log that lost its tail: oldest first, within the server's limit of
/// unanswered frames.
struct HealingSender: Hashable, Sendable {
    struct InFlight: Hashable, Sendable {
        var request: HealRequest
        var before: HealingPosition
        var after: HealingPosition
    }

    var position: HealingPosition
    var inFlight: [InFlight] = []
    var report = HealingReport()
    /// When offering goes on after an error.
    var resumesAt: MonotonicTime?
    /// Events before what comes next that the log lacks and the store too.
    var missing: LostEvents?
    /// What frames held behind a conflict, in a session of protocol 1. Each is offered when nothing else is in flight:
    /// an answer names no first sequence.
    private(set) var rests: [HealingRest] = []
    /// From where a frame was asked for that was not sent yet.
    var asked: HealingPosition?
    /// Everything was sent.
    var isComplete = false
    /// Incarnations that are ended again, each after what is held of it was offered and before anything of later ones is
    /// (rule P10): what the log holds keeps its place, and what it does not hold there has another by now.
    private(set) var ending: [EndedIncarnation]
    /// Everything up to the first of them was sent.
    private var reachesEnd = false
    /// The first of them was sent.
    var isEnding = false
    /// Why the incarnation cannot be continued afterwards.
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
            // Nothing of it comes back to be offered again.
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

    /// The first incarnation takes no further event, or is another scope's.
    mutating func ended() {
        ending.removeFirst()
        (isEnding, reachesEnd) = (false, false)
        position.through = ending.first?.place
    }

    /// The first frame in flight was taken whole.
    mutating func taken() {
        let request = inFlight.removeFirst().request
        guard let rest = rests.first, rest.request == request else { return }
        rests.removeFirst()
        report.conflicts.append(rest.passedOver)
    }

    /// The first frame in flight stopped where another event stands, or none may stand any more (protocol 1).
    /// - Parameter sequence: nil: nothing of it can be taken.
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
    /// next request has to close it.
    /// - Parameter expected: where the log goes on.
    mutating func missed(_ expected: DeviceSequence) {
        guard let head = inFlight.first else { return }
        let isRest = rests.first?.request == head.request
        // The log expects the place of the conflict: it takes nothing there, and so nothing behind it.
        if isRest, !rests[0].holds(expected) { return stopped(at: nil) }
        rewind()
        // The rest of an older incarnation is offered first, and this gap says nothing about it.
        if let rest = rests.first, rest.incarnation != head.request.incarnation { return }
        if rests.first?.holds(expected) == true {
            rests[0].from = expected
        } else if rests.isEmpty, expected < head.request.firstSequence {
            missing = LostEvents(
                incarnation: head.request.incarnation, first: expected,
                last: head.request.firstSequence.advanced(by: -1))
        }
    }

    /// What is in flight will not be taken: offer it again.
    mutating func rewind() {
        isEnding = false
        guard let head = inFlight.first else { return }
        position = head.before
        inFlight.removeAll()
        (isComplete, reachesEnd) = (false, false)
    }
}

extension HealRequest {
    /// Of the last event.
    var lastSequence: DeviceSequence {
        switch self {
        case .reoffer(let offer): offer.receipt.through
        case .lost(let lost): lost.last
        }
    }

    var eventCount: Int {
        switch self {
        case .reoffer(let offer): offer.events.count
        case .lost: 0
        }
    }
}
