import FocusCore
import FocusSyncClient

/// What a device sent, was told and must hold. Kept outside its store, which may be restored from a backup.
struct DeviceHistory {
    /// Every event ever enqueued, with its place in the order of the device.
    private(set) var queued: [EventID: Int] = [:]
    struct Acknowledged {
        var event: EventID
        var incarnation: Incarnation
        var sequence: DeviceSequence
        /// The code of the refusal; empty if accepted.
        var verdict: String
        /// The latest of the log's histories (see `Simulation.history`) in which the device was told of the event.
        var history: Int
        /// The store was restored from a backup that does not know the event, or no longer holds the event or its
        /// incarnation.
        var isForgotten = false
        /// The log lost the event and gave its place to another one, so the event is unanswered again.
        var isDisplaced = false
    }

    /// Every event that was acknowledged to the device, in whichever history.
    private(set) var acknowledged: [Acknowledged] = []
    /// What a backup of the store knows.
    private struct Backup {
        var queued: Int
        var forgotten: [Bool]
        var rowsOf: Int
        var waiting: Set<EventID>
        var told: Set<EventID>
    }

    private var backups: [Backup] = []
    /// For each event, how often the store had been restored when it was enqueued.
    private var lives: [EventID: Int] = [:]
    /// How many entries of `queued` the store knew at the beginning of each of its lives.
    private var inherited = [0]
    /// Events that the present life of the store enqueued and that are not answered.
    private(set) var waiting: Set<EventID> = []
    /// The history that the store's rows belong to; its cursor names an event of that history.
    private(set) var rowsOf = 0
    private(set) var wasEverRestored = false
    private(set) var hasConflicts = false
    /// The ranges that the device declared lost, each with the history in which it did.
    private var declaredLost: [(events: LostEvents, history: Int)] = []
    /// Events whose outcome the device was told since the store was last restored.
    private var told: Set<EventID> = []
    /// The lowest version that a row, cursor or digest may have: a higher one was shown or promised before (rule P7).
    private var floor = Version.zero
    /// The view of the last cursor.
    private var view: UInt64?
    /// The version of the protocol that the last connection spoke.
    private var spoken: UInt32?
    private var floorHistory = 0
    /// The snapshot under way covers some collections only; it ends with the cursor from before it.
    private var isPartial = false

    mutating func queued(_ events: [QueuedEvent]) {
        for event in events {
            queued[event.envelope.id] = queued.count
            lives[event.envelope.id] = inherited.count - 1
            waiting.insert(event.envelope.id)
        }
    }

    /// Whether the store enqueued `later` after `earlier` and knew both. A store restored from a backup does not know
    /// what was enqueued after the backup.
    func said(_ earlier: EventID, before later: EventID) -> Bool {
        guard let (first, last) = queued[earlier].flatMap({ first in queued[later].map { (first, $0) } }),
            let life = lives[earlier], let end = lives[later], first < last, life <= end
        else { return false }
        return inherited[(life + 1)...].prefix(end - life).allSatisfy { first < $0 }
    }

    var backupCount: Int { backups.count }

    /// The store exists twice from now on; this is the copy.
    mutating func copied() {
        backups = []
        wasEverRestored = true
    }

    /// In protocol 1 an event whose place another event has taken is given up.
    mutating func noteConflicts() { hasConflicts = true }

    /// Another device continues from a copy of this store.
    mutating func shared() { wasEverRestored = true }

    mutating func backedUp() {
        backups.append(
            Backup(
                queued: queued.count, forgotten: acknowledged.map(\.isForgotten), rowsOf: rowsOf, waiting: waiting,
                told: told))
    }

    mutating func restored(_ number: Int) {
        let backup = backups[number]
        wasEverRestored = true
        inherited.append(backup.queued)
        for index in acknowledged.indices {
            acknowledged[index].isForgotten = index < backup.forgotten.count ? backup.forgotten[index] : true
        }
        (rowsOf, waiting, told) = (backup.rowsOf, backup.waiting, backup.told)
    }

    /// Events left the store, or a new incarnation began: the store can no longer re-offer or declare lost what it does
    /// not hold of earlier incarnations.
    mutating func holds(_ held: Set<EventID>, _ current: Incarnation) {
        for index in acknowledged.indices
        where acknowledged[index].incarnation != current && !held.contains(acknowledged[index].event) {
            acknowledged[index].isForgotten = true
        }
    }

    /// The store holds all rows of that history.
    mutating func holdsRows(of history: Int) { rowsOf = history }

    mutating func acknowledged(
        _ outcomes: [AppendOutcome], _ incarnation: Incarnation, history: Int, _ witness: Witness,
        _ device: SimulatedDevice
    ) {
        for outcome in outcomes {
            acknowledged.append(
                Acknowledged(
                    event: outcome.event, incarnation: incarnation, sequence: outcome.sequence,
                    verdict: outcome.verdict.code, history: history))
            if history == device.simulation.history { witness.told(outcome, incarnation, device) }
            waiting.remove(outcome.event)
            if !told.insert(outcome.event).inserted {
                witness.fail("E2: \(device) hears twice what became of \(outcome.event)")
            }
        }
    }

    /// Fails if the device leaves its incarnation without a reason: its store was never restored or copied, and the log
    /// lost nothing.
    func leaves(_ reason: IncarnationReason, history: Int, _ witness: Witness, _ device: SimulatedDevice) {
        if !wasEverRestored, history == 0 { witness.fail("E1: \(device) was not restored, and leaves: \(reason)") }
    }

    /// Checks the log's answer to events it had lost (rule S6).
    mutating func healed(
        _ appended: Appended, _ request: HealRequest, history: Int, _ witness: Witness, _ device: SimulatedDevice
    ) {
        let offer: Reoffer
        switch request {
        case .reoffer(let some): offer = some
        case .lost(let lost): return declaredLost.append((lost, history))
        }
        let refusals = Dictionary(appended.refused.map { ($0.sequence, $0.code) }) { first, _ in first }
        for (index, offered) in offer.events.enumerated() {
            let sequence = offer.firstSequence.advanced(by: index)
            guard sequence <= appended.throughSequence else { break }
            let verdict = refusals[sequence] ?? ""
            if verdict == ErrorCode.sequenceConflict.rawValue {
                displaced(offered.envelope.id)
                witness.displaced(offered.envelope.id, device)
                continue
            }
            // A declared loss is final, even if an older copy of the store still holds the event; unless its place is
            // another event's: then it is appended anew.
            let isLost = declaredLost.contains { lost, told in
                told == history && lost.incarnation == offer.incarnation && (lost.first...lost.last).contains(sequence)
            }
            if isLost { continue }
            // An event that an Append brought first was judged like a new one, and keeps that outcome.
            if !offer.code.isEmpty, !witness.hasForged(device), offered.outcome.code != verdict,
                !witness.wasAppended(offered.envelope.id), !witness.hadOtherTime(offered.envelope)
            {
                witness.fail(
                    "S6: \(device) has a receipt of \(offered.envelope.id): \"\(offered.outcome.code)\". It is \"\(verdict)\""
                )
            }
            for known in acknowledged.indices
            where acknowledged[known].event == offered.envelope.id && acknowledged[known].sequence == sequence
                && acknowledged[known].incarnation == offer.incarnation
            {
                acknowledged[known].verdict = verdict
                acknowledged[known].history = history
            }
        }
    }

    /// Another event has the place of this one, so it is unanswered again.
    private mutating func displaced(_ event: EventID) {
        for index in acknowledged.indices where acknowledged[index].event == event {
            acknowledged[index].isDisplaced = true
        }
        told.remove(event)
        waiting.insert(event)
    }

    /// - Parameter histories: the range of the log's histories that the connection may belong to.
    mutating func saw(
        _ message: ServerMessage, _ histories: ClosedRange<Int>, _ witness: Witness, _ device: SimulatedDevice
    ) {
        if histories.lowerBound > floorHistory { (floor, floorHistory) = (.zero, histories.lowerBound) }
        if case .snapshotBegin(_, let collections) = message { isPartial = !collections.isEmpty }
        // A promise made in one history binds in that one only. A connection whose history is uncertain neither makes
        // promises nor is held to any.
        guard histories.count == 1 else { return }
        switch message {
        case .appended(let appended): floor = max(floor, appended.version)
        case .recalled(let recalled): floor = max(floor, recalled.version)
        case .snapshotEnd(let cursor): if !isPartial { saw(cursor, witness, device) }
        case .deltaEnd(let cursor), .delta(_, _, let cursor), .checkpoint(let cursor, _): saw(cursor, witness, device)
        case .welcome(let welcome):
            // Promises of before may have counted otherwise (rule Z1), and no cursor has said so.
            if device.scope != .system, spoken != welcome.protocolVersion { floor = .zero }
            spoken = welcome.protocolVersion
        case .snapshotBegin, .snapshotRows, .deltaBegin, .deltaRows, .ping, .pong, .error, .goAway, .tokenExpiry,
            .fetched, .peerStatuses, .unknown:
            break
        }
    }

    private mutating func saw(_ cursor: Cursor, _ witness: Witness, _ device: SimulatedDevice) {
        // Versions of before were counted otherwise (rule Z1).
        if let view, view != cursor.view { floor = .zero }
        view = cursor.view
        if cursor.version < floor {
            witness.fail("P7: \(device) is at \(cursor.version) after it was at, or was promised, \(floor)")
        }
        floor = max(floor, cursor.version)
    }

    /// Compares the device's rows with those of the log at the version that the cursor names.
    func compare(_ rows: [RowKey: [UInt8]], _ cursor: Cursor, _ witness: Witness, _ device: SimulatedDevice) {
        let expected = witness.rows(of: device.user, at: cursor, in: device.view(of: cursor))
        guard rows != expected else { return }
        let wrong = Set(rows.keys).union(expected.keys).filter { rows[$0] != expected[$0] }.sorted()
        let texts = wrong.prefix(5).map { key in
            let (held, due) = (rows[key]?.count.description ?? "none", expected[key]?.count.description ?? "none")
            return "\(key.collection) \(key.app?.rawValue ?? "") \(key.key) (\(held) for \(due) bytes)"
        }
        witness.fail("S3: \(device) does not hold version \(cursor.version): \(texts.joined(separator: ", "))")
    }
}

extension AppendOutcome.Verdict {
    /// The code of the refusal; empty if accepted.
    var code: String {
        switch self {
        case .accepted: ""
        case .refused(let code, _): code
        }
    }
}

extension Outcome {
    /// The code of the refusal; empty if accepted.
    var code: String {
        switch self {
        case .accepted: ""
        case .refused(let code, _): code
        }
    }
}
