import FocusCore

/// A server of one device that follows only the rules P2, P3, P10 and S6: which event stands at which place. It has no
/// fold and accepts every event except those of type `refused`.
struct PlaceServer {
    private struct Held: Hashable {
        var event: EventID
        var outcome: Outcome
    }

    /// One incarnation.
    private struct Life: Hashable {
        var last: Int64 = 0
        var held: [Int64: Held] = [:]
        var isEnded = false
    }

    /// A connection.
    struct Link {
        fileprivate var incarnation = Incarnation(0)
        fileprivate var reportedGap = false
    }

    var protocolVersion: UInt32 = 2
    /// Incarnations that belong to another scope of the device.
    var foreign: Set<Incarnation> = []
    /// The number of events that one answer to a Recall covers at most.
    var recallLimit = Int.max
    /// The errors with which the server answers the next Recalls and the first Append of an unknown incarnation.
    var refusals: [ErrorCode] = []
    /// The limit for Append frames.
    var frameBytes: UInt32 = 16 * 1024
    private var lives: [Incarnation: Life] = [:]
    /// All logged events, in order.
    private(set) var logged: [EventID] = []
    /// The incarnations that a Recall without ids ended.
    private(set) var endedAnew: [Incarnation] = []

    var version: Version { Version(Int64(logged.count)) }
    var incarnations: Int { lives.count }

    func isEnded(_ incarnation: Incarnation) -> Bool { lives[incarnation]?.isEnded ?? false }

    /// How often each event was logged.
    var counts: [EventID: Int] { logged.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

    mutating func receive(_ message: ClientMessage, _ link: inout Link) -> [ServerMessage] {
        switch message {
        case .hello(let hello):
            link.incarnation = hello.incarnation
            return [.welcome(welcome(hello))]
        case .append(let request): return append(request, &link)
        case .heal(.reoffer(let offer)): return reoffer(offer, &link)
        case .heal(.lost(let lost)): return lose(lost, &link)
        case .recall(let recall): return [self.recall(recall)]
        case .ack, .resync, .ping, .pong, .bye, .renew, .fetch, .watch, .unwatch, .active, .unknown:
            return []
        }
    }

    /// The cursor of a device that has seen everything.
    var cursor: Cursor? {
        logged.last.map { Cursor(log: Fixture.log, version: version, event: $0, view: 1) }
    }

    /// Whether the log lacks the event that the cursor names.
    private func isBehind(_ cursor: Cursor?) -> Bool {
        guard let cursor else { return false }
        let index = Int(cursor.version.rawValue) - 1
        return !logged.indices.contains(index) || logged[index] != cursor.event
    }

    private func welcome(_ hello: Hello) -> Welcome {
        let life = lives[hello.incarnation] ?? Life()
        let isNew = hello.maximumProtocol >= 2 && protocolVersion >= 2
        return Welcome(
            protocolVersion: isNew ? 2 : 1, session: "s", log: Fixture.log, lastSequence: DeviceSequence(life.last),
            lastEvent: isNew ? life.held[life.last]?.event : nil, isEnded: isNew && life.isEnded,
            logIsBehind: isBehind(hello.cursor), maximumFrameBytes: frameBytes, maximumUnacknowledgedAppends: 4,
            heartbeatMilliseconds: 10_000_000,
            serverTime: Fixture.clock)
    }

    // MARK: Append

    private enum Step {
        case answered(Outcome)
        case logged(Outcome)
        case taken
        case gap(Int64)
    }

    private mutating func place(
        _ event: EventID, _ outcome: Outcome, at sequence: Int64, of incarnation: Incarnation
    ) -> Step {
        if foreign.contains(incarnation) { return .taken }
        var life = lives[incarnation] ?? Life()
        if let held = life.held[sequence] { return held.event == event ? .answered(held.outcome) : .taken }
        if life.isEnded { return .taken }
        // A free place below the last one is a lost place, which accepts an event.
        guard sequence <= life.last + 1 else { return .gap(life.last + 1) }
        life.held[sequence] = Held(event: event, outcome: outcome)
        life.last = max(life.last, sequence)
        lives[incarnation] = life
        logged.append(event)
        return .logged(outcome)
    }

    private mutating func append(_ request: AppendRequest, _ link: inout Link) -> [ServerMessage] {
        if lives[link.incarnation] == nil, let code = refusals.first {
            refusals.removeFirst()
            return [.error(ProtocolError(code, "wait", retryAfterMilliseconds: 1_000, sequence: request.firstSequence))]
        }
        var answer = Answer(first: request.firstSequence, version: version, incarnation: nil)
        for envelope in request.envelopes {
            let outcome =
                envelope.type == "refused" ? Outcome.refused(code: "app_unknown", message: "no such app") : .accepted
            let sequence = answer.through.next
            switch place(envelope.id, outcome, at: sequence.rawValue, of: link.incarnation) {
            case .answered(let outcome): answer.add(envelope.id, outcome, isLogged: false)
            case .logged(let outcome): answer.add(envelope.id, outcome, isLogged: true)
            case .taken:
                answer.error = ProtocolError(.sequenceConflict, "taken", sequence: sequence)
            case .gap(let expected):
                if !link.reportedGap { answer.error = Self.gap(expected, sequence) }
                link.reportedGap = true
                return answer.messages(version)
            }
            link.reportedGap = false
            if answer.error != nil { break }
        }
        let away = GoAway(code: .sequenceConflict, minimumBackoffMilliseconds: 0, maximumBackoffMilliseconds: 100)
        return answer.messages(version) + (answer.error == nil ? [] : [.goAway(away)])
    }

    private static func gap(_ expected: Int64, _ sequence: DeviceSequence) -> ProtocolError {
        ProtocolError(.sequenceGap, "gap", expected: DeviceSequence(expected), sequence: sequence)
    }

    // MARK: Healing

    private mutating func reoffer(_ offer: Reoffer, _ link: inout Link) -> [ServerMessage] {
        let other = offer.incarnation == link.incarnation ? nil : offer.incarnation
        var answer = Answer(first: offer.firstSequence, version: version, incarnation: other)
        for event in offer.events {
            let sequence = answer.through.next
            switch place(event.envelope.id, event.outcome, at: sequence.rawValue, of: offer.incarnation) {
            case .answered(let outcome), .logged(let outcome): answer.add(event.envelope.id, outcome, isLogged: false)
            case .taken where protocolVersion >= 2:
                answer.add(event.envelope.id, .refused(code: "sequence_conflict", message: "taken"), isLogged: false)
            case .taken:
                answer.error = ProtocolError(.sequenceConflict, "taken", sequence: sequence)
                return answer.messages(version)
            case .gap(let expected):
                answer.error = Self.gap(expected, sequence)
                return answer.messages(version)
            }
        }
        return answer.messages(version)
    }

    private mutating func lose(_ lost: LostEvents, _ link: inout Link) -> [ServerMessage] {
        var life = lives[lost.incarnation] ?? Life()
        guard lost.first.rawValue <= life.last + 1 else { return [.error(Self.gap(life.last + 1, lost.first))] }
        if lost.last.rawValue > life.last {
            if life.isEnded { return [.error(ProtocolError(.sequenceConflict, "ended", sequence: lost.first))] }
            life.last = lost.last.rawValue
            lives[lost.incarnation] = life
        }
        let other = lost.incarnation == link.incarnation ? nil : lost.incarnation
        return [
            .appended(Appended(throughSequence: lost.last, version: version, refused: [], incarnation: other))
        ]
    }

    // MARK: Recall

    private mutating func recall(_ recall: Recall) -> ServerMessage {
        guard protocolVersion >= 2 else { return .error(ProtocolError(.unknownMessage, "what?")) }
        if foreign.contains(recall.incarnation) {
            return .error(ProtocolError(.sequenceConflict, "another scope's", sequence: recall.firstSequence))
        }
        if !recall.events.isEmpty, let code = refusals.first {
            refusals.removeFirst()
            return .error(ProtocolError(code, "wait", retryAfterMilliseconds: 1_000, sequence: recall.firstSequence))
        }
        lives[recall.incarnation, default: Life()].isEnded = true
        if recall.events.isEmpty { endedAnew.append(recall.incarnation) }
        let life = lives[recall.incarnation] ?? Life()
        let outcomes = recall.events.prefix(recallLimit).enumerated().map { index, event -> Outcome? in
            guard let held = life.held[recall.firstSequence.advanced(by: index).rawValue], held.event == event
            else { return nil }
            return held.outcome
        }
        let held = outcomes.prefix { $0 != nil }.count
        let receipts = [
            Receipt(first: recall.firstSequence, through: recall.firstSequence.advanced(by: held - 1), code: [2])
        ]
        return .recalled(
            Recalled(
                incarnation: recall.incarnation, firstSequence: recall.firstSequence, outcomes: outcomes,
                version: version, receipts: held > 0 ? receipts : []))
    }
}

/// Collects the answer to an Append or a Reoffer.
private struct Answer {
    let first: DeviceSequence
    var through: DeviceSequence
    let incarnation: Incarnation?
    var refused: [RefusedEvent] = []
    var receipts: [Receipt] = []
    var error: ProtocolError?

    init(first: DeviceSequence, version: Version, incarnation: Incarnation?) {
        (self.first, self.incarnation) = (first, incarnation)
        through = first.advanced(by: -1)
    }

    mutating func add(_ event: EventID, _ outcome: Outcome, isLogged: Bool) {
        through = through.next
        if case .refused(let code, let message) = outcome {
            refused.append(RefusedEvent(sequence: through, event: event, code: code, message: message))
        }
        guard isLogged else { return }
        if receipts.last?.through.next == through {
            receipts[receipts.count - 1].through = through
        } else {
            receipts.append(Receipt(first: through, through: through, code: [1]))
        }
    }

    func messages(_ version: Version) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        if through >= first {
            messages.append(
                .appended(
                    Appended(
                        throughSequence: through, version: version, refused: refused, receipts: receipts,
                        incarnation: incarnation)))
        }
        if let error { messages.append(.error(error)) }
        return messages
    }
}
