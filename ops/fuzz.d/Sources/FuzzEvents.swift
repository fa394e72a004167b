import FocusWire
import Foundation

@testable import FocusCore

/// Fuzzes validation and fold. Each record holds a type, choices, a time and a payload. As in the server, the payload
/// is decoded and validated, and either it or its refusal is logged; the fold must accept everything that is logged.
/// Types past the last one stand for what the server does by itself. In the end, rows copied by the touched keys, a
/// state that was loaded on the way, and devices that followed by deltas must all agree with the state.
func fuzzEvents(_ input: FuzzInput) {
    var input = input
    var stage = EventStage()
    while var record = input.next(), stage.count < 200 { stage.step(&record) }
    stage.finish()
}

private struct EventStage {
    private var state = UserState(user: UserID(Self.uuid(9)))
    /// Loaded from the rows of `state` at some moment and folded on since; must never differ from `state`.
    private var loaded: UserState?
    /// The rows as a projector writes them: only keys that a fold reported as touched.
    private var rows: [RowKey: Row] = [:]
    private var everTouched: Set<RowKey> = []
    private var followers: [Follower] = [
        Follower(View(scope: .system, device: EventStage.device(1), deviceClass: .phone)),
        Follower(
            View(
                scope: .system, device: EventStage.device(2), deviceClass: .watch,
                collections: [.notifications, .badges])),
        Follower(View(scope: .app(EventStage.apps[0]), device: EventStage.device(3), deviceClass: .desktop)),
    ]
    private var now = Timestamp(microseconds: 1_750_000_000_000_000)
    private(set) var count = 0

    private static let apps = ["com.example.messages", "com.example.mail", "a"].compactMap { AppID($0) }
    private static let spans: [Int64] = [
        0, 1, 1_000, 1_000_000, 5_000_000, 60_000_000, 3_600_000_000, 21_600_000_000, 86_400_000_000, 604_800_000_000,
        2_678_400_000_000, 31_536_000_000_000,
    ]

    private static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8 & 255), UInt8(number & 255)))
    }

    private static func device(_ number: Int) -> DeviceID { DeviceID(uuid(number)) }

    mutating func step(_ record: inout FuzzRecord) {
        let type = Int(record.byte()) % (EventType.allCases.count + 7)
        let choice = record.byte()
        let time = record.byte()
        now = now.adding(microseconds: Self.spans[Int(time & 15) % Self.spans.count])
        switch type - EventType.allCases.count {
        case 0: fireTimers()
        case 1: rebuilt(choice, record.bytes)
        case 2: lost(choice, record.short())
        case 3: reload()
        case 4: for index in followers.indices where choice >> index & 1 == 1 { followers[index].turn(state) }
        case 5: follow(choice, record.byte())
        case 6: incarnation(choice)
        default: device(EventType.allCases[type], choice, time, record.bytes)
        }
    }

    // MARK: Devices

    private mutating func device(_ type: EventType, _ choice: UInt8, _ time: UInt8, _ payload: [UInt8]) {
        guard let body = decoded(type, payload) else { return }
        let app: AppID? = choice & 3 == 3 ? nil : Self.apps[Int(choice & 3)]
        let scope: Scope = choice & 4 == 0 ? .system : app.map { .app($0) } ?? .system
        var event = event(Self.device(1 + Int(choice >> 3 & 3)), Incarnation(Int64(choice >> 5 & 1)), app, body)
        event.occurredAt = occurred(time >> 4)
        // Rules A3 and P10: events of a revoked device or an ended incarnation are not logged.
        guard !state.isRevoked(event.device), takes(event.incarnation, of: event.device, scope) else { return }
        let step = state.check(device: event.device, incarnation: event.incarnation, sequence: event.sequence)
        check(step == .next, "the next sequence is \(step) (E1)")
        let refusal = state.validate(event, scope: scope)
        if let loaded { check(loaded.validate(event, scope: scope) == refusal, "a loaded state judges otherwise") }
        // Rule S6: an event with a valid receipt is logged as it was once accepted, whatever else this log has lost.
        let mayHeal = EventScope.refusal(event, scope) == nil && EventShape.refusal(event) == nil
        if choice >> 6 == 3, mayHeal, event.occurredAt <= now.adding(microseconds: EventLimits.clockSkewMicroseconds) {
            event.isHealed = true
        } else if let refusal {
            event.app = scope.app
            event.body = .eventRefused(
                EventRefused(type: type.rawValue, code: refusal.code.rawValue, message: refusal.message))
        }
        log(event)
    }

    /// Compares bodies by their bytes, because a NaN does not equal itself.
    private func decoded(_ type: EventType, _ payload: [UInt8]) -> EventBody? {
        guard let body = try? PayloadCodec.decode(type, schemaVersion: 1, payload) else { return nil }
        let bytes = PayloadCodec.encode(body)
        guard let again = try? PayloadCodec.decode(type, schemaVersion: 1, bytes) else {
            broken("\(body) does not decode from its own bytes")
        }
        check(body.type == type && PayloadCodec.encode(again) == bytes, "\(body) changes on its way")
        // Some bodies have no JSON form; one that has it must survive the round trip.
        if let json = try? PayloadCodec.json(type, schemaVersion: 1, bytes) {
            guard let payload = try? PayloadCodec.payload(type, json: json) else { broken("\(json) is no payload") }
            // JSON has no form for the bits of a NaN, and they have no meaning (rule P2).
            let isNaN = json.contains("\"NaN\"")
            let isSame = isNaN ? (try? PayloadCodec.json(type, schemaVersion: 1, payload)) == json : payload == bytes
            check(isSame, "\(json) is another payload")
        }
        return body
    }

    /// The time as the log stores it; its earliest is 4713 BC.
    private func occurred(_ choice: UInt8) -> Timestamp {
        switch choice {
        case 15: Timestamp(microseconds: -210_866_803_200_000_000)
        case 14: now.adding(microseconds: EventLimits.clockSkewMicroseconds)
        case 13: Timestamp(microseconds: .max)
        default: now.adding(microseconds: -Self.spans[Int(choice) % Self.spans.count])
        }
    }

    private func event(_ device: DeviceID, _ incarnation: Incarnation, _ app: AppID?, _ body: EventBody) -> Event {
        Event(
            version: state.version.next, device: device, incarnation: incarnation,
            sequence: state.lastSequence(of: device, incarnation: incarnation).next,
            id: EventID(Self.uuid(count + 256)),
            app: app, occurredAt: now, recordedAt: now, body: body)
    }

    private mutating func log(_ event: Event) {
        count += 1
        do throws(FoldError) {
            let touched = Set(try state.apply(event))
            for key in touched { rows[key] = state.row(key) }
            everTouched.formUnion(touched)
            _ = try loaded?.apply(event)
        } catch {
            broken("the fold threw \(error) at \(event)")
        }
    }

    // MARK: The server

    /// The server's timers: a Focus expires (rule T1) and a summary is delivered (rule T3).
    private mutating func fireTimers() {
        if let due = state.dueExpiration, due.at <= now { logDue(.focusExpired(due.event), at: due.at) }
        if let schedule = state.summarySchedule, let after = schedule.dueAfter, after < now {
            logDue(.summaryDelivered(schedule.delivery(dueAt: now)), at: now)
        }
    }

    private mutating func logDue(_ body: EventBody, at time: Timestamp) {
        var event = event(.server, Incarnation(0), nil, body)
        event.occurredAt = max(time, Timestamp(microseconds: -210_866_803_200_000_000))
        let refusal = state.validate(event, scope: .system)
        check(refusal == nil, "a due event is refused: \(String(describing: refusal))")
        log(event)
    }

    /// A rebuild's event (rule S8) that names some of the keys that ever had rows: those at which `mask` has its lowest
    /// bit set.
    private mutating func rebuilt(_ choice: UInt8, _ mask: [UInt8]) {
        let keys = everTouched.sorted().filter(\.collection.isPublic).enumerated().filter { index, _ in
            mask.isEmpty || mask[index % mask.count] & 1 == 1
        }
        let horizon = Version(min(state.version.rawValue, Int64(choice)))
        let rebuilt = ProjectionRebuilt(generation: 2, rows: keys.map(\.element), horizon: horizon)
        let payload = PayloadCodec.encode(.projectionRebuilt(rebuilt))
        guard let body = decoded(.projectionRebuilt, payload) else { broken("\(rebuilt) does not decode") }
        log(event(.server, Incarnation(0), nil, body))
    }

    /// Rule S6: logs sequences as lost, because no device holds their events any more.
    private mutating func lost(_ choice: UInt8, _ more: Int) {
        let device = Self.device(1 + Int(choice >> 3 & 3))
        let (incarnation, scope) = (Incarnation(Int64(choice >> 5 & 1)), scope(choice))
        guard !state.isRevoked(device), takes(incarnation, of: device, scope) else { return }
        var event = event(device, incarnation, scope.app, .badgeCleared)
        let last = event.sequence.advanced(by: more)
        event.body = .deviceEventsLost(DeviceEventsLost(first: event.sequence, last: last))
        event.sequence = last
        log(event)
    }

    private func scope(_ choice: UInt8) -> Scope { choice & 4 == 0 ? .system : .app(Self.apps[0]) }

    /// Rule P10: begins or ends an incarnation, as the server does before events and recalls.
    private mutating func incarnation(_ choice: UInt8) {
        let device = Self.device(1 + Int(choice >> 3 & 3))
        let (incarnation, scope) = (Incarnation(Int64(choice >> 5 & 1)), scope(choice))
        let ended = EventBody.deviceIncarnationEnded(
            DeviceIncarnationEnded(device: device, incarnation: incarnation, scope: scope))
        switch state.status(of: incarnation, device: device, scope: scope).standing {
        case .foreign, .own(isEnded: true): return
        case .own(isEnded: false): log(event(.server, Incarnation(0), nil, ended))
        case .unknown, .unbound:
            if let oldest = state.incarnationToEnd(of: device, scope) {
                let body = DeviceIncarnationEnded(device: device, incarnation: oldest, scope: scope)
                log(event(.server, Incarnation(0), nil, .deviceIncarnationEnded(body)))
            }
            let began = DeviceIncarnationBegan(device: device, incarnation: incarnation, scope: scope)
            log(event(.server, Incarnation(0), nil, choice & 1 == 0 ? .deviceIncarnationBegan(began) : ended))
        }
        let standing = state.status(of: incarnation, device: device, scope: scope).standing
        check(standing != .unknown && standing != .unbound && standing != .foreign, "nobody's incarnation (P10)")
    }

    /// Whether the incarnation accepts events of the scope. One that was never begun counts as made by an earlier
    /// program, and accepts them.
    private func takes(_ incarnation: Incarnation, of device: DeviceID, _ scope: Scope) -> Bool {
        switch state.status(of: incarnation, device: device, scope: scope).standing {
        case .foreign, .own(isEnded: true): false
        case .own(isEnded: false), .unknown, .unbound: true
        }
    }

    // MARK: Checks

    private mutating func reload() {
        do throws(FoldError) {
            loaded = try UserState(user: state.user, snapshot: state.snapshot)
        } catch {
            broken("the state does not load from its rows: \(error)")
        }
    }

    private mutating func follow(_ choice: UInt8, _ collection: UInt8) {
        let all = RowCollection.allCases
        for index in followers.indices where choice >> index & 1 == 1 {
            followers[index].begin(state, anew: choice & 8 == 0, resync: all[Int(collection) % all.count])
        }
    }

    mutating func finish() {
        let snapshot = state.snapshot
        if let loaded { check(loaded.snapshot == snapshot, "a loaded state folds on to other rows") }
        reload()
        for key in state.rowKeys { check(rows[key] == state.row(key), "\(key) changed and was not touched") }
        for (key, row) in rows { check(state.row(key) == row, "\(key) vanished and was not touched") }
        guard var loaded else { return }
        check(loaded.snapshot == snapshot, "other rows after loading")
        for index in followers.indices {
            let digests = followers[index].catchUp(&state)
            check(digests == loaded.digests(in: followers[index].view), "other digests after loading (S9)")
        }
    }
}
