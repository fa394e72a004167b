import FocusCore
import FocusWire

/// Makes the events of one partition, in order: the lives of its users side by side, each event folded as the server
/// folds, so that the log holds what a server would have logged, refusals and due events included.
struct PartitionMaker {
    let partition: Partition
    private var lives: [UserLife]
    private var states: [UserState]
    private var queue = ArrivalQueue()
    /// The offset that the next event gets.
    private(set) var next: LogOffset

    init(_ partition: Partition, _ plan: LogPlan, _ shares: [LogPlan.Share], from offset: LogOffset) {
        self.partition = partition
        next = offset
        let rhythms = AppCatalogue.zones.map {
            WeekRhythm(start: plan.start, days: plan.days, utcOffsetHours: $0.1)
        }
        lives = shares.map { share in
            let zone = share.rank % rhythms.count
            return UserLife(share, plan, zone: AppCatalogue.zones[zone], rhythm: rhythms[zone])
        }
        states = shares.map { UserState(user: $0.user) }
        for slot in lives.indices { queue.add(.init(time: lives[slot].arrival, slot: slot)) }
    }

    /// The next frame's events, none of which is beyond its user's share; empty when all is made. Throws `FoldError`.
    mutating func frame() throws -> [LoggedEvent] {
        guard let entry = queue.removeFirst() else { return [] }
        let slot = entry.slot
        var events: [LoggedEvent] = []
        if let due = state(slot, { $0.dueEvent(at: entry.time) }) {
            try log(due, slot, entry.time, &events)
        } else {
            try send(slot, entry.time, &events)
            lives[slot].advance(past: events.count)
        }
        lives[slot].remaining -= events.count
        if lives[slot].remaining > 0 {
            queue.add(.init(time: max(entry.time, nextTime(slot)), slot: slot))
        } else {
            // The state is not needed any more, and a partition has a thousand of them: this frees its memory.
            states[slot] = UserState(user: lives[slot].share.user)
        }
        return events
    }

    /// Asks a state in place: an array's element would be copied, which for a state is some hundred counted references.
    private func state<T>(_ slot: Int, _ ask: (borrowing UserState) -> T) -> T {
        states.withUnsafeBufferPointer { ask($0[slot]) }
    }

    private func nextTime(_ slot: Int) -> Timestamp {
        let arrival = lives[slot].arrival
        guard let due = state(slot, { $0.dueAt }) else { return arrival }
        // The scheduler looks once a second.
        return min(arrival, due.adding(microseconds: 500_000))
    }

    private mutating func send(_ slot: Int, _ time: Timestamp, _ events: inout [LoggedEvent]) throws {
        let chosen = lives[slot].chooseDevice(time)
        var occurred = chosen.occurred
        for draft in lives[slot].frame(at: occurred).prefix(lives[slot].remaining) {
            let sequence = lives[slot].nextSequence(of: chosen.device, at: occurred)
            let device = lives[slot].devices[chosen.device]
            let event = Event(
                version: states[slot].version.next, device: device.id, incarnation: device.incarnation,
                sequence: sequence, id: lives[slot].random.eventID(at: occurred), app: draft.app,
                occurredAt: occurred, recordedAt: time, body: draft.body)
            try log(event, slot, &events)
            occurred = min(time, occurred.adding(microseconds: Int64(1 + lives[slot].random.below(900_000))))
        }
    }

    /// Logs a due event as the server does (rules T1, T3).
    private mutating func log(
        _ due: DueEvent, _ slot: Int, _ time: Timestamp, _ events: inout [LoggedEvent]
    ) throws {
        let event = Event(
            version: states[slot].version.next, device: .server, incarnation: Incarnation(0),
            sequence: states[slot].lastSequence(of: .server, incarnation: Incarnation(0)).next,
            id: lives[slot].random.eventID(at: time), app: nil, occurredAt: due.at.stored, recordedAt: time,
            body: due.body)
        try log(event, slot, &events)
    }

    /// Judges, folds and writes an event as the server does (rule E2).
    private mutating func log(_ event: Event, _ slot: Int, _ events: inout [LoggedEvent]) throws {
        var event = event
        if let refusal = state(slot, { $0.validate(event, scope: .system) }) {
            let type = event.body.type.rawValue
            event.app = nil
            event.body = .eventRefused(
                EventRefused(type: type, code: refusal.code.rawValue, message: refusal.message))
        }
        _ = try states[slot].apply(event)
        events.append(
            LoggedEvent(
                partition: partition, offset: next, user: states[slot].user, version: event.version,
                device: event.device, incarnation: event.incarnation, sequence: event.sequence, id: event.id,
                type: event.body.type.rawValue, app: event.app, occurredAt: event.occurredAt,
                recordedAt: event.recordedAt, schemaVersion: FocusWire.payloadSchemaVersion,
                payload: PayloadCodec.encode(event.body)))
        next = next.next
    }
}
