import EventStore
import FocusCore

@testable import FocusSyncClient
@testable import struct FocusSyncClient.AppendOutcome

/// Sees everything that is committed and every frame that reaches a device, and knows what must hold of them.
final class Witness {
    /// What is wrong; nil while nothing is.
    private(set) var failure: String?

    /// A user's state after each of their events, from version 0: the fold, run once more beside the servers.
    private(set) var states: [UserID: [UserState]] = [:]
    /// When each was committed.
    private(set) var times: [UserID: [Int64]] = [:]
    /// The same of the log's earlier histories (see `Simulation.history`), and when each one ended.
    private(set) var pasts: [Past] = []
    struct Past {
        let states: [UserID: [UserState]]
        let times: [UserID: [Int64]]
        let end: Int64
    }
    private(set) var log: [LoggedEvent] = []
    private var lastSequences: [SequenceKey: DeviceSequence] = [:]
    private var versions: [SequenceKey: [Version]] = [:]
    /// What stands at each place; at one that was declared lost, nothing.
    private var places: [Place: LoggedEvent] = [:]
    /// Where the events of devices stand.
    private var placesOf: [EventID: [Place]] = [:]
    private var lostPlaces: Set<Place> = []
    /// Rule P10: incarnations that take nothing more; and those of which the log had known it, and lost that.
    private var ended: Set<SequenceKey> = []
    private var forgottenEnds: Set<SequenceKey> = []
    /// Devices of whose store there was more than one life.
    private var copied: Set<DeviceID> = []
    private var forgers: Set<DeviceID> = []
    /// Devices with libraries from before rule P10.
    var old: Set<DeviceID> = []
    /// Up to where the standby is known to have each user's events.
    private var safe: [UserID: Version] = [:]
    /// What devices were told since the log last lost its tail.
    private var promised: [Promise: DeviceSequence] = [:]
    private struct Promise: Hashable {
        let key: SequenceKey
        /// Copies of a store hear of each other's events some time.
        let device: Int
    }
    /// What the log lost, each time that it was there.
    private var lost: [EventID: [LoggedEvent]] = [:]
    /// Rule A3: the version of the user that a device was revoked at, and when that was committed.
    private(set) var revocations: [DeviceID: (version: Version, time: Int64)] = [:]
    /// What devices offered again with a receipt, since the log last lost its tail.
    private var proved: [DeviceID: Set<EventID>] = [:]
    /// Events that an Append brought to a server and that were not logged since: its frame may wait there for long, and
    /// come into a log that has lost them meanwhile. And those that were logged so, judged as any event is.
    private var brought: Set<EventID> = []
    private var appended: Set<EventID> = []
    let clock: SimulatedClock

    /// Some appends or look-ups fail, by the seed.
    private let callsFail: Bool

    /// Milliseconds between what a server decides and what it does: its calls cost something.
    let slowness: Int64

    init(_ clock: SimulatedClock, callsFail: Bool, slowness: Int64) {
        self.clock = clock
        self.slowness = slowness
        self.callsFail = callsFail
    }

    /// The server's own events count for each user from 1 on.
    private struct SequenceKey: Hashable {
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

    private struct Place: Hashable {
        let key: SequenceKey
        let sequence: DeviceSequence
    }

    func fail(_ message: String) { failure = failure ?? message }

    // MARK: Log

    func committed(_ event: LoggedEvent) { committed(event, at: clock.now) }

    private func committed(_ event: LoggedEvent, at time: Int64) {
        log.append(event)
        times[event.user, default: [0]].append(time)
        judgeHealed(event)
        var state = states[event.user]?.last ?? UserState(user: event.user)
        // What comes in the same frame as a device's own revocation is refused, and that is logged (rule E2).
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

    /// Rules E1, P1, P2 and P10, of one event.
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

    /// A log that lost the end of an incarnation may take in it what a copy of the store had in another one meanwhile:
    /// nobody can tell. Nothing else is there twice.
    private func judgeOnce(_ event: LoggedEvent, at place: Place) {
        guard let others = placesOf[event.id] else { return }
        // Of a store that asks nothing the log remembers the last events.
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

    /// What the log says of a device's event, or said of it when it took it first; nil: it has it not, or not there.
    private func outcome(_ id: EventID, at place: Place) -> Outcome? {
        guard let event = places[place], event.id == id else { return nil }
        let first = event.isRepetition ? placesOf[id]?.first.flatMap { places[$0] } ?? event : event
        guard first.type == EventType.eventRefused.rawValue,
            case .eventRefused(let refused)? = try? first.decoded().body
        else { return .accepted }
        return .refused(code: refused.code, message: refused.message)
    }

    /// Rules E2 and P2: a device is told what the log holds, as often as it asks.
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

    /// Whether the log has an event at this place of a device whose store was copied. A copy may have put it there, and a
    /// store that holds nothing of the place any more cannot tell.
    func mayBeTakenByCopy(_ incarnation: Incarnation, _ sequence: DeviceSequence, _ device: SimulatedDevice) -> Bool {
        copied.contains(device.id)
            && places[Place(key: SequenceKey(device, incarnation), sequence: sequence)] != nil
    }

    func offered(_ offer: Reoffer, _ device: SimulatedDevice) {
        guard !offer.code.isEmpty else { return }
        // An offer that never arrived proves nothing of the forged one that follows it.
        guard !hasForged(device), !device.record.wasEverRestored else {
            proved[device.id] = nil
            return
        }
        proved[device.id, default: []].formUnion(offer.events.map(\.envelope.id))
    }

    /// It may append afresh what it does not know of any more.
    func restored(_ device: SimulatedDevice) {
        proved[device.id] = nil
        copied.insert(device.id)
    }

    /// Two stores have its places from now on.
    func copied(_ device: SimulatedDevice) { restored(device) }

    /// It lies, and so all that have its id may.
    func forged(_ device: SimulatedDevice) { forgers.insert(device.id) }
    func hasForged(_ device: SimulatedDevice) -> Bool { forgers.contains(device.id) }

    /// The log lost it more than once, and had judged it in different ways.
    func wasJudgedTwice(_ event: EventID) -> Bool { Set(lost[event, default: []].map(\.payload)).count > 1 }

    func brought(_ events: [EventID]) { brought.formUnion(events) }

    /// It was judged anew, though there is a receipt of it: an Append came first, of a copy of the store or late.
    func wasAppended(_ event: EventID) -> Bool { appended.contains(event) }

    /// The log had it, and only with other times than the envelope has: a copy of the store had moved its time back (rule
    /// E4) before it appended it, and the store that recalled it knows nothing of that. The receipt is of the other time.
    func hadOtherTime(_ envelope: Envelope) -> Bool {
        let held = lost[envelope.id, default: []]
        return !held.isEmpty && held.allSatisfy { $0.occurredAt != envelope.occurredAt.stored }
    }

    /// Its place is another's: it comes again, as any event does.
    func displaced(_ event: EventID, _ device: SimulatedDevice) { proved[device.id]?.remove(event) }

    /// Rule S6: what is taken without being judged is what was there before.
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

    /// Rule S6: what a device brings back rang before, or was to.
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

    /// The log lost its tail: it ends at these offsets.
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
        pasts.append(Past(states: states, times: times, end: clock.now))
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

    /// What a view holds at a version.
    func rows(of user: UserID, at version: Version, in view: View) -> [RowKey: [UInt8]] {
        let states = states[user] ?? [UserState(user: user)]
        guard states.indices.contains(Int(version.rawValue)) else { return [:] }
        let page = states[Int(version.rawValue)].rows(after: .snapshot(of: version), in: view, limitBytes: .max)
        return Dictionary(uniqueKeysWithValues: page.rows.compactMap { row in row.value.map { (row.key, $0) } })
    }

    // MARK: Frames

    /// A frame has reached a device.
    func saw(_ message: ServerMessage, _ device: SimulatedDevice) {
        switch message {
        case .welcome(let welcome): sawWelcome(welcome, device)
        case .appended(let appended): sawAppended(appended, device)
        case .snapshotRows(let rows), .deltaRows(let rows): sawRows(rows, device)
        case .delta(_, let rows, let cursor):
            sawRows(rows, device)
            saw(cursor, device)
        case .snapshotEnd(let cursor), .deltaEnd(let cursor), .checkpoint(let cursor, _): saw(cursor, device)
        case .error(let error): sawError(error, device)
        case .recalled(let recalled): sawRecalled(recalled, device)
        case .snapshotBegin, .deltaBegin, .ping, .pong, .goAway, .tokenExpiry, .fetched, .peerStatuses,
            .unknown:
            break
        }
    }

    /// The log always answers here but where a seed has appends fail; what a server lacks it is to read, not to deny.
    private func sawError(_ error: ProtocolError, _ device: SimulatedDevice) {
        guard error.code == .unavailable || error.code == .userQuarantined, !callsFail else { return }
        fail("\(device) is told \(error.code) although the log answers: \(error.message)")
    }

    private func sawWelcome(_ welcome: Welcome, _ device: SimulatedDevice) {
        let logged = lastSequences[SequenceKey(device), default: .zero]
        if welcome.lastSequence > logged {
            fail("P1: \(device) hears of sequence \(welcome.lastSequence), the log ends at \(logged)")
        }
        let key = SequenceKey(device)
        let promise = promised[Promise(key: key, device: device.index), default: .zero]
        if welcome.lastSequence < promise {
            fail("P2: \(device) has \(promise) acknowledged and is told \(welcome.lastSequence)")
        }
        if welcome.isEnded, !ended.contains(key) { fail("P10: \(device) is told that its incarnation has ended") }
        let last = Place(key: key, sequence: welcome.lastSequence)
        if let event = welcome.lastEvent, places[last]?.id != event {
            fail("P3: \(device) is told that \(event) is its last event, at \(welcome.lastSequence)")
        }
    }

    /// Rule P10: what it says holds for ever.
    private func sawRecalled(_ recalled: Recalled, _ device: SimulatedDevice) {
        let key = SequenceKey(device, recalled.incarnation)
        if !ended.contains(key) { fail("P10: \(device) recalls \(recalled.incarnation), which goes on") }
        if recalled.version > version(of: device.user) {
            fail("P1: \(device) hears of version \(recalled.version), the log ends at \(version(of: device.user))")
        }
        if recalled.version > safe[device.user, default: .zero] {
            fail("P1: \(device) recalls as of version \(recalled.version), which no standby has")
        }
    }

    /// The answer to a question.
    func recalled(_ recalled: Recalled, _ recall: Recall, _ device: SimulatedDevice) {
        for (index, (event, told)) in zip(recall.events, recalled.outcomes).enumerated() {
            let sequence = recall.firstSequence.advanced(by: index)
            let place = Place(key: SequenceKey(device, recall.incarnation), sequence: sequence)
            let logged = outcome(event, at: place)
            if told != logged {
                fail(
                    "P10: \(device) is told \(told.debugDescription) of \(event), logged is \(logged.debugDescription)")
            }
        }
    }

    private func sawAppended(_ appended: Appended, _ device: SimulatedDevice) {
        let key = SequenceKey(device, appended.incarnation)
        let logged = lastSequences[key, default: .zero]
        // What has no place is answered so too.
        guard !appended.refused.contains(where: \.isDisplaced) else { return }
        promised[Promise(key: key, device: device.index), default: .zero].raise(to: appended.throughSequence)
        guard appended.throughSequence <= logged else {
            return fail("P1: \(device) hears of sequence \(appended.throughSequence), the log ends at \(logged)")
        }
        if appended.version > version(of: device.user) {
            fail("P1: \(device) hears of version \(appended.version), the log ends at \(version(of: device.user))")
        }
        guard appended.throughSequence > .zero, let versions = versions[key] else { return }
        if versions[Int(appended.throughSequence.rawValue) - 1] > safe[device.user, default: .zero] {
            fail("P1: \(device) hears of sequence \(appended.throughSequence), which no standby has")
        }
        if appended.version < versions[Int(appended.throughSequence.rawValue) - 1] {
            fail("P7: \(device) is promised version \(appended.version), its event came later")
        }
    }

    /// Rule S7, and the whole of scopes, told without `View.includes`.
    private func sawRows(_ rows: [DeltaRow], _ device: SimulatedDevice) {
        let end = version(of: device.user)
        for row in rows {
            if let app = device.scope.app, row.key.app != app {
                fail("S7: \(device) of \(app) gets \(row.key.collection) of \(row.key.app?.rawValue ?? "no app")")
            }
            if !device.collections.isEmpty, !device.collections.contains(row.key.collection) {
                fail("S7: \(device) gets \(row.key.collection), which it did not ask for")
            }
            if row.key.collection == .refusals, !row.key.key.hasPrefix(device.id.description) {
                fail("E2: \(device) gets a refusal of another device")
            }
            if row.version > end { fail("P1: \(device) gets a row of version \(row.version), the log ends at \(end)") }
        }
    }

    private func saw(_ cursor: Cursor, _ device: SimulatedDevice) {
        guard cursor.version <= version(of: device.user) else {
            return fail("P1: \(device) stands at \(cursor.version), the log ends at \(version(of: device.user))")
        }
        let event = states[device.user]?[Int(cursor.version.rawValue)].lastEvent
        if let event, event != cursor.event { fail("S4: the cursor of \(device) names an event that is not there") }
        if cursor.view != device.view.hash { fail("S4: the cursor of \(device) is of another view") }
    }
}

extension LoggedEvent {
    /// It only takes a place: another incarnation had it logged (rule E1).
    var isRepetition: Bool {
        guard type == EventType.eventRefused.rawValue, case .eventRefused(let refused)? = try? decoded().body
        else { return false }
        return refused.code == RefusalCode.alreadyLogged.rawValue
    }

    /// What the log lost and nobody holds.
    var lost: DeviceEventsLost? {
        guard type == EventType.deviceEventsLost.rawValue, case .deviceEventsLost(let lost)? = try? decoded().body
        else { return nil }
        return lost
    }
}

extension DeviceSequence {
    fileprivate mutating func raise(to other: DeviceSequence) { self = max(self, other) }
}
