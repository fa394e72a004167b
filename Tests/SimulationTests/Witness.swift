import EventStore
import FocusCore

@testable import FocusSyncClient

/// Sees everything that is committed and every frame that reaches a device, and checks what must hold of them.
final class Witness {
    /// The first violation; nil if there is none.
    private(set) var failure: String?

    /// Each user's state after each of their events, from version 0 on, folded independently of the servers.
    private(set) var states: [UserID: [UserState]] = [:]
    /// When each of these states was committed.
    private(set) var times: [UserID: [Int64]] = [:]
    /// What was so in earlier histories (see `Simulation.history`), and when each history ended.
    private(set) var pasts: [Past] = []
    struct Past {
        let states: [UserID: [UserState]]
        let times: [UserID: [Int64]]
        let revoked: Set<DeviceID>
        let end: Int64
    }
    private(set) var log: [LoggedEvent] = []
    private(set) var lastSequences: [SequenceKey: DeviceSequence] = [:]
    private(set) var versions: [SequenceKey: [Version]] = [:]
    /// The event at each place; none at a place that was declared lost.
    private(set) var places: [Place: LoggedEvent] = [:]
    /// The places of each event.
    private var placesOf: [EventID: [Place]] = [:]
    private var lostPlaces: Set<Place> = []
    /// Rule P10: incarnations that have ended; and those whose end the log once had and lost.
    private(set) var ended: Set<SequenceKey> = []
    private var forgottenEnds: Set<SequenceKey> = []
    /// Devices whose store was restored or copied.
    private var copied: Set<DeviceID> = []
    private var forgers: Set<DeviceID> = []
    /// Devices with libraries from before rule P10.
    var old: Set<DeviceID> = []
    /// For each user, the version up to which the standby certainly has the events.
    private(set) var safe: [UserID: Version] = [:]
    /// What devices were told since the log last lost its tail.
    var promised: [Promise: DeviceSequence] = [:]
    struct Promise: Hashable {
        let key: SequenceKey
        /// Recorded for each store, because copies of a store learn of each other's events only later.
        let device: Int
    }
    /// Events that the log lost, in each form in which it had them.
    private var lost: [EventID: [LoggedEvent]] = [:]
    /// For each revoked device, the version of its user and the time at which the revocation was committed (rule A3).
    private(set) var revocations: [DeviceID: (version: Version, time: Int64)] = [:]
    /// Events that devices re-offered with a receipt since the log last lost its tail.
    private var proved: [DeviceID: Set<EventID>] = [:]
    /// Events that an Append brought to a server and that were not logged since: the frame may wait there for long, and
    /// reach a log that has lost the event meanwhile. `appended` are those that were then logged, judged like any
    /// event.
    private var brought: Set<EventID> = []
    private var appended: Set<EventID> = []
    let clock: SimulatedClock
    /// For each user of whom the read model was wrong: the version through which devices may hold what it showed.
    private var alteredThrough: [UserID: Version] = [:]

    /// Whether the seed lets some appends or look-ups fail.
    private let callsFail: Bool
    /// When something last happened to the database (`SimulatedDatabase`).
    var troubledAt: () -> Int64 = { Int64.min / 2 }

    /// Whether a device may be told by a server at this time that the log does not answer. A server that stands still
    /// does not ask.
    func mayBeUnavailable(at time: Int64, by server: SimulatedServer?) -> Bool {
        let since = troubledAt()
        return callsFail || time - since - (server?.stoodStill(since: since) ?? 0) < LivenessBounds.trouble
    }

    /// The most milliseconds between a decision of a server and its effect, because its calls take time.
    let slowness: Int64

    init(_ clock: SimulatedClock, callsFail: Bool, slowness: Int64) {
        self.clock = clock
        self.slowness = slowness
        self.callsFail = callsFail
    }

    /// A sequence of a device, or of the server's own events, which count for each user from 1 on.
    struct SequenceKey: Hashable {
        let user: UserID
        let device: DeviceID
        let incarnation: Incarnation

        init(_ user: UserID, _ device: DeviceID, _ incarnation: Incarnation) {
            (self.user, self.device, self.incarnation) = (user, device, incarnation)
        }

        init(_ event: LoggedEvent) { (user, device, incarnation) = (event.user, event.device, event.incarnation) }

        init(_ device: SimulatedDevice, _ incarnation: Incarnation? = nil) {
            (user, self.device, self.incarnation) = (device.user, device.id, incarnation ?? device.incarnation)
        }
    }

    struct Place: Hashable {
        let key: SequenceKey
        let sequence: DeviceSequence
    }

    func fail(_ message: String) { failure = failure ?? message }

    // MARK: A wrong read model

    /// - Parameter end: nil: a read model is shown that has wrong rows of the user.
    func showsAltered(_ user: UserID, through end: Version?) {
        alteredThrough[user] = end ?? Version(Int64.max)
    }

    /// Whether a device that stands at the cursor may hold what a wrong read model showed.
    func mayBeAltered(_ user: UserID, at cursor: Cursor, in view: View) -> Bool {
        guard let end = alteredThrough[user] else { return false }
        // The cursor's event need not be one of the log's: an app's stream is known by the rows that it brought.
        return end > version(of: user) || cursor.version <= state(of: user, at: end).head(of: view).version
    }

    // MARK: Log

    func committed(_ event: LoggedEvent) { committed(event, at: clock.now) }

    private func committed(_ event: LoggedEvent, at time: Int64) {
        log.append(event)
        times[event.user, default: [0]].append(time)
        judgeHealed(event)
        var state = states[event.user]?.last ?? UserState(user: event.user)
        // An event in the same frame as its device's own revocation is refused, and the refusal is logged (rule E2).
        if revocations[event.device] != nil, event.type != EventType.eventRefused.rawValue {
            fail("A3: an event of \(event.device) is logged, which was revoked")
        }
        if event.type == EventType.deviceRevoked.rawValue,
            case .deviceRevoked(let revoked)? = try? event.decoded().body,
            revocations[revoked.device] == nil
        {
            revocations[revoked.device] = (event.version, time)
        }
        takePlace(event)
        noteEnd(event)
        do {
            let touched = try state.apply(event.decoded())
            states[event.user, default: [UserState(user: event.user)]].append(state)
            judgeAlerts(touched, of: state)
        } catch {
            return fail("a logged event does not fold: \(error)")
        }
    }

    /// Checks rules E1, P1, P2 and P10 for one event.
    private func takePlace(_ event: LoggedEvent) {
        let key = SequenceKey(event)
        if ended.contains(key) {
            fail("P10: \(event.id) of \(event.device) is logged in an incarnation that has ended")
        }
        let due = lastSequences[key, default: .zero].next
        if let lost = event.lost {
            if lost.first != due { fail("S6: \(event.device) has lost \(lost.first) where \(due) is due") }
            for sequence in lost.first.rawValue...max(lost.first.rawValue, lost.last.rawValue) {
                lostPlaces.insert(Place(key: key, sequence: DeviceSequence(sequence)))
                versions[key, default: []].append(event.version)
            }
            lastSequences[key] = lost.last
            return
        }
        let place = Place(key: key, sequence: event.sequence)
        if event.sequence < due {
            // Rule S6: a lost place is an empty place.
            if lostPlaces.remove(place) == nil {
                fail("E1: \(event.device) has sequence \(event.sequence) logged where \(due) is due")
            }
        } else {
            if event.sequence != due {
                fail("E1: \(event.device) has sequence \(event.sequence) logged where \(due) is due")
            }
            lastSequences[key] = event.sequence
            versions[key, default: []].append(event.version)
        }
        places[place] = event
        judgeOnce(event, at: place)
        placesOf[event.id, default: []].append(place)
    }

    /// Fails if an event is logged twice. One case is excused: a log that lost the end of an incarnation may accept an
    /// event there that a copy of the store has logged in another one meanwhile.
    private func judgeOnce(_ event: LoggedEvent, at place: Place) {
        guard let others = placesOf[event.id] else { return }
        // For stores that never recall, the log remembers the last events only.
        if event.isRepetition, old.contains(event.device) { return }
        let isForgotten = (others + [place]).contains { forgottenEnds.contains($0.key) }
        guard !copied.contains(event.device) || !isForgotten else { return }
        let places = (others + [place]).map { "\($0.key.incarnation)/\($0.sequence)" }.joined(separator: ", ")
        fail("P2: \(event.id) of \(event.device) is logged twice: \(places)")
    }

    private func noteEnd(_ event: LoggedEvent) {
        guard event.type == EventType.deviceIncarnationEnded.rawValue,
            case .deviceIncarnationEnded(let end)? = try? event.decoded().body
        else { return }
        ended.insert(SequenceKey(event.user, end.device, end.incarnation))
    }

    /// The outcome of a device's event, as the log gave it when the event was first logged; nil if the event is not at
    /// this place.
    func outcome(_ id: EventID, at place: Place) -> Outcome? {
        guard let event = places[place], event.id == id else { return nil }
        let first = event.isRepetition ? placesOf[id]?.first.flatMap { places[$0] } ?? event : event
        guard first.type == EventType.eventRefused.rawValue,
            case .eventRefused(let refused)? = try? first.decoded().body
        else { return .accepted }
        return .refused(code: refused.code, message: refused.message)
    }

    /// Rules E2 and P2: a device is told the outcome that the log holds, as often as it asks.
    func told(_ outcome: AppendOutcome, _ incarnation: Incarnation, _ device: SimulatedDevice) {
        let place = Place(key: SequenceKey(device, incarnation), sequence: outcome.sequence)
        guard let logged = self.outcome(outcome.event, at: place) else {
            return fail(
                "P1: \(device) is told of \(outcome.event), which is not logged at \(incarnation)/\(place.sequence)")
        }
        if AppendOutcome.Verdict(logged) != outcome.verdict {
            fail("E2: \(device) is told \(outcome.verdict) of \(outcome.event), logged is \(logged)")
        }
    }

    func isLogged(_ event: EventID, _ incarnation: Incarnation, _ sequence: DeviceSequence, _ device: SimulatedDevice)
        -> Bool
    { places[Place(key: SequenceKey(device, incarnation), sequence: sequence)]?.id == event }

    /// Whether the log has an event at this place of a device whose store was copied. A copy may have put it there, and
    /// a store that holds nothing of the place cannot tell.
    func mayBeTakenByCopy(_ incarnation: Incarnation, _ sequence: DeviceSequence, _ device: SimulatedDevice) -> Bool {
        copied.contains(device.id)
            && places[Place(key: SequenceKey(device, incarnation), sequence: sequence)] != nil
    }

    func offered(_ offer: Reoffer, _ device: SimulatedDevice) {
        guard !offer.code.isEmpty else { return }
        // The receipt of an offer that never arrived does not prove a forged one that follows.
        guard !hasForged(device), !device.record.wasEverRestored else {
            proved[device.id] = nil
            return
        }
        proved[device.id, default: []].formUnion(offer.events.map(\.envelope.id))
    }

    /// A restored store may append events afresh that it does not know.
    func restored(_ device: SimulatedDevice) {
        proved[device.id] = nil
        copied.insert(device.id)
    }

    /// Two stores share the device's places from now on.
    func copied(_ device: SimulatedDevice) { restored(device) }

    /// The device forges re-offers; all stores with its id count as forgers.
    func forged(_ device: SimulatedDevice) { forgers.insert(device.id) }
    func hasForged(_ device: SimulatedDevice) -> Bool { forgers.contains(device.id) }

    /// Whether the log lost the event more than once, each time with another outcome.
    func wasJudgedTwice(_ event: EventID) -> Bool { Set(lost[event, default: []].map(\.payload)).count > 1 }

    func brought(_ events: [EventID]) { brought.formUnion(events) }

    /// Whether the event was judged anew although a receipt exists, because a late Append or one of a copy came first.
    func wasAppended(_ event: EventID) -> Bool { appended.contains(event) }

    /// Whether the log had the event only with times other than the envelope's. A copy of the store had moved the time
    /// back (rule E4) before it appended the event, and the store that recalled it does not know that; the receipt is
    /// for the other time.
    func hadOtherTime(_ envelope: Envelope) -> Bool {
        let held = lost[envelope.id, default: []]
        return !held.isEmpty && held.allSatisfy { $0.occurredAt != envelope.occurredAt.stored }
    }

    /// Another event has its place, so the event comes again like a new one.
    func displaced(_ event: EventID, _ device: SimulatedDevice) { proved[device.id]?.remove(event) }

    /// Rule S6: an event that is accepted without being judged must have been in the log before.
    private func judgeHealed(_ event: LoggedEvent) {
        guard event.encoding == LoggedEvent.healed else {
            let isBrought = brought.remove(event.id) != nil
            if isBrought { appended.insert(event.id) }
            if proved[event.device]?.contains(event.id) == true, !event.isRepetition, !isBrought {
                fail("S6: \(event.id) came with its receipt, and was judged anew")
            }
            return
        }
        let isGenuine = lost[event.id, default: []].contains {
            $0.device == event.device && $0.incarnation == event.incarnation && $0.sequence == event.sequence
                && $0.type == event.type && $0.app == event.app && $0.occurredAt == event.occurredAt
                && $0.schemaVersion == event.schemaVersion && $0.payload == event.payload
        }
        if !isGenuine { fail("S6: \(event.id) of \(event.device) is taken as healed, and never was in the log so") }
    }

    /// Rule S6: an alert that a healed post had must not ring again.
    private func judgeAlerts(_ touched: [RowKey], of state: UserState) {
        for key in touched where key.collection == .alerts || key.collection == .classAlerts {
            guard let value = state.row(key)?.value, let row = try? AlertRow(decoding: value),
                row.decision.alert == .now, let post = event(of: state.user, at: row.post),
                post.encoding == LoggedEvent.healed
            else { continue }
            fail("S6: \(post.id) was healed, and rings again")
        }
    }

    private func event(of user: UserID, at version: Version) -> LoggedEvent? {
        log.last { $0.user == user && $0.version == version }
    }

    /// The log lost its tail; it now ends at these offsets.
    func fellBack(to ends: [Partition: Int]) {
        var kept: [(event: LoggedEvent, time: Int64)] = []
        var lostNow: Set<EventID> = []
        for event in log {
            if event.offset.rawValue < Int64(ends[event.partition] ?? 0) {
                kept.append((event, times[event.user]?[Int(event.version.rawValue)] ?? 0))
            } else {
                lost[event.id, default: []].append(event)
                lostNow.insert(event.id)
            }
        }
        pasts.append(Past(states: states, times: times, revoked: Set(revocations.keys), end: clock.now))
        let endedBefore = ended
        (states, times, log, lastSequences, versions, promised) = ([:], [:], [], [:], [:], [:])
        (places, placesOf, lostPlaces, ended) = ([:], [:], [], [])
        (revocations, proved) = ([:], [:])
        appended.subtract(lostNow)
        for (event, time) in kept { committed(event, at: time) }
        forgottenEnds.formUnion(endedBefore.subtracting(ended))
        replicated()
    }

    /// The standby has everything that is in the log.
    func replicated() { safe = states.mapValues { $0.last?.version ?? .zero } }

    func version(of user: UserID) -> Version { states[user]?.last?.version ?? .zero }
    func state(of user: UserID) -> UserState { states[user]?.last ?? UserState(user: user) }

    func state(of user: UserID, at version: Version) -> UserState {
        states[user]?[Int(version.rawValue)] ?? UserState(user: user)
    }

    /// A state in which a view stands where the cursor does; nil when there is none.
    func state(of user: UserID, at cursor: Cursor, in view: View) -> UserState? {
        let states = states[user] ?? [UserState(user: user)]
        guard view.isSilent else {
            return states[safe: cursor.version].flatMap { $0.lastEvent == cursor.event ? $0 : nil }
        }
        return states.last {
            let head = $0.head(of: view)
            return head.version == cursor.version && head.event == cursor.event
        }
    }

    /// The rows of a view at a cursor.
    func rows(of user: UserID, at cursor: Cursor, in view: View) -> [RowKey: [UInt8]] {
        let found = view.isSilent ? state(of: user, at: cursor, in: view) : states[user]?[safe: cursor.version]
        guard let state = found else { return [:] }
        let page = state.rows(after: .snapshot(of: cursor.version), in: view, limitBytes: .max)
        return Dictionary(uniqueKeysWithValues: page.rows.compactMap { row in row.value.map { (row.key, $0) } })
    }
}

extension [UserState] {
    /// The state at a version; nil past the end.
    fileprivate subscript(safe version: Version) -> UserState? {
        indices.contains(Int(version.rawValue)) ? self[Int(version.rawValue)] : nil
    }
}

extension LoggedEvent {
    /// Whether the event only takes a place, because another incarnation had logged it (rule E1).
    var isRepetition: Bool {
        guard type == EventType.eventRefused.rawValue, case .eventRefused(let refused)? = try? decoded().body
        else { return false }
        return refused.code == RefusalCode.alreadyLogged.rawValue
    }

    /// The range that the event declares lost.
    var lost: DeviceEventsLost? {
        guard type == EventType.deviceEventsLost.rawValue, case .deviceEventsLost(let lost)? = try? decoded().body
        else { return nil }
        return lost
    }
}
