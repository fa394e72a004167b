import FocusCore
import FocusSyncClient

/// What a device said, was told, and must hold: kept outside its store, which may be restored from a backup.
struct DeviceHistory {
    /// Every event ever queued: its place in the order of the device.
    private(set) var queued: [EventID: Int] = [:]
    struct Acknowledged {
        var event: EventID
        var incarnation: Incarnation
        var sequence: DeviceSequence
        /// The code of the refusal; empty: accepted.
        var verdict: String
        /// Of the log's histories (see `Simulation.history`) the one that it was last told of.
        var history: Int
        /// The store was restored from a backup that does not know of it, or holds neither it nor its incarnation any more.
        var isForgotten = false
        /// The log lost it and gave its place to another: it is unanswered again.
        var isDisplaced = false
    }

    /// Every event that the log has or had, as the device was told.
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
    /// How often the store had been restored when an event was queued.
    private var lives: [EventID: Int] = [:]
    /// How many events of `queued` the store knew when each of its lives began.
    private var inherited = [0]
    /// Queued by the present life of the store, and not answered.
    private(set) var waiting: Set<EventID> = []
    /// The history whose rows the store holds; its cursor names an event of it.
    private(set) var rowsOf = 0
    private(set) var wasEverRestored = false
    private(set) var hasConflicts = false
    /// What the log was told that nobody holds, and in which of its histories.
    private var declaredLost: [(events: LostEvents, history: Int)] = []
    /// Told since the store was last restored.
    private var told: Set<EventID> = []
    /// No row, cursor or digest may be of an earlier version: one was shown or promised already (rule P7).
    private var floor = Version.zero
    private var floorHistory = 0
    /// The snapshot under way is of some collections, and ends with the cursor that was there before it.
    private var isPartial = false

    mutating func queued(_ events: [QueuedEvent]) {
        for event in events {
            queued[event.envelope.id] = queued.count
            lives[event.envelope.id] = inherited.count - 1
            waiting.insert(event.envelope.id)
        }
    }

    /// Whether the store queued `later` when it knew `earlier`. After a restore it does not know what it queued since
    /// the backup.
    func said(_ earlier: EventID, before later: EventID) -> Bool {
        guard let (first, last) = queued[earlier].flatMap({ first in queued[later].map { (first, $0) } }),
            let life = lives[earlier], let end = lives[later], first < last, life <= end
        else { return false }
        return inherited[(life + 1)...].prefix(end - life).allSatisfy { first < $0 }
    }

    var backupCount: Int { backups.count }

    /// The store lives twice from now on.
    mutating func copied() {
        backups = []
        wasEverRestored = true
    }

    /// In protocol 1 an event whose place another one has got is given up.
    mutating func noteConflicts() { hasConflicts = true }

    /// The store of it is the other's too.
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

    /// Old events left the store, or a new incarnation began: what is not held of an earlier one nobody speaks of again.
    mutating func holds(_ held: Set<EventID>, _ current: Incarnation) {
        for index in acknowledged.indices
        where acknowledged[index].incarnation != current && !held.contains(acknowledged[index].event) {
            acknowledged[index].isForgotten = true
        }
    }

    /// The store holds all the rows of that history.
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

    /// The store was never restored, nor copied, and the log lost nothing: nothing of it can be another's.
    func leaves(_ reason: IncarnationReason, history: Int, _ witness: Witness, _ device: SimulatedDevice) {
        if !wasEverRestored, history == 0 { witness.fail("E1: \(device) was not restored, and leaves: \(reason)") }
    }

    /// Rule S6: what the log says of events that it had lost.
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
            // A declared loss is final, even if an older copy of the store holds the event; unless another event has
            // its place: then the store appends it anew.
            let isLost = declaredLost.contains { lost, told in
                told == history && lost.incarnation == offer.incarnation && (lost.first...lost.last).contains(sequence)
            }
            if isLost { continue }
            // What an Append had brought first was judged as what comes for the first time, and stands so.
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

    /// Its place is another's: it is unanswered again.
    private mutating func displaced(_ event: EventID) {
        for index in acknowledged.indices where acknowledged[index].event == event {
            acknowledged[index].isDisplaced = true
        }
        told.remove(event)
        waiting.insert(event)
    }

    /// - Parameter histories: of the log, one of which the connection is of.
    mutating func saw(
        _ message: ServerMessage, _ histories: ClosedRange<Int>, _ witness: Witness, _ device: SimulatedDevice
    ) {
        if histories.lowerBound > floorHistory { (floor, floorHistory) = (.zero, histories.lowerBound) }
        if case .snapshotBegin(_, let collections) = message { isPartial = !collections.isEmpty }
        // What was promised in one history is owed in that one alone: where nobody can tell of which a connection hears,
        // it neither promises anything nor keeps it.
        guard histories.count == 1 else { return }
        switch message {
        case .appended(let appended): floor = max(floor, appended.version)
        case .recalled(let recalled): floor = max(floor, recalled.version)
        case .snapshotEnd(let cursor): if !isPartial { saw(cursor, witness, device) }
        case .deltaEnd(let cursor), .delta(_, _, let cursor), .checkpoint(let cursor, _): saw(cursor, witness, device)
        case .welcome, .snapshotBegin, .snapshotRows, .deltaBegin, .deltaRows, .ping, .pong, .error, .goAway,
            .tokenExpiry, .fetched, .peerStatuses, .unknown:
            break
        }
    }

    private mutating func saw(_ cursor: Cursor, _ witness: Witness, _ device: SimulatedDevice) {
        if cursor.version < floor {
            witness.fail("P7: \(device) is at \(cursor.version) after it was at, or was promised, \(floor)")
        }
        floor = max(floor, cursor.version)
    }

    /// What the device holds is what the log says, at the very version that its cursor names.
    func compare(_ rows: [RowKey: [UInt8]], _ cursor: Cursor, _ witness: Witness, _ device: SimulatedDevice) {
        let expected = witness.rows(of: device.user, at: cursor.version, in: device.view)
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
    /// Of a refusal; empty: accepted.
    var code: String {
        switch self {
        case .accepted: ""
        case .refused(let code, _): code
        }
    }
}

extension Outcome {
    /// Of a refusal; empty: accepted.
    var code: String {
        switch self {
        case .accepted: ""
        case .refused(let code, _): code
        }
    }
}
