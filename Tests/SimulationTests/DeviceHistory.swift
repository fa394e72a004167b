import FocusCore
import FocusSyncClient

/// What a device said, was told, and must hold: kept outside its store, which may be restored from a backup.
struct DeviceHistory {
    struct Queued {
        var place: Int
        var incarnation: Incarnation
    }

    /// Every event ever queued, by its place in the order of the device.
    private(set) var queued: [EventID: Queued] = [:]
    struct Acknowledged {
        var event: EventID
        var incarnation: Incarnation
        var sequence: DeviceSequence
        /// The code of the refusal; empty: accepted.
        var verdict: String
        /// Of the log's histories (see `Simulation.history`) the one that it was last told of.
        var history: Int
        /// The store was restored from a backup that does not know of it, or keeps nothing of its incarnation any more.
        var isForgotten = false
    }

    /// Every event that the log has or had, as the device was told.
    private(set) var acknowledged: [Acknowledged] = []
    private var acknowledgedAtBackup = 0
    /// The history whose rows the store holds; its cursor names an event of it.
    private(set) var rowsOf = 0
    private var rowsOfAtBackup = 0
    private(set) var hasForged = false
    private(set) var wasEverRestored = false
    /// What the log was told that nobody holds, and in which of its histories.
    private var declaredLost: [(events: LostEvents, history: Int)] = []
    /// Told since the store was last restored.
    private var told: Set<EventID> = []
    /// No row, cursor or digest may be of an earlier version: one was shown or promised already (rule P7).
    private var floor = Version.zero
    private var floorHistory = 0
    private var wasRestored = false
    /// The snapshot under way is of some collections, and ends with the cursor that was there before it.
    private var isPartial = false

    mutating func queued(_ events: [QueuedEvent], _ incarnation: Incarnation) {
        for event in events { queued[event.envelope.id] = Queued(place: queued.count, incarnation: incarnation) }
    }

    mutating func backedUp() {
        acknowledgedAtBackup = acknowledged.count
        rowsOfAtBackup = rowsOf
    }

    mutating func restored() {
        told = []
        wasRestored = true
        wasEverRestored = true
        for index in acknowledged.indices.dropFirst(acknowledgedAtBackup) { acknowledged[index].isForgotten = true }
        rowsOf = rowsOfAtBackup
    }

    /// Old events left the store. Of an incarnation that is over and of which none is left, it knows nothing any more.
    mutating func holds(_ incarnations: Set<Incarnation>) {
        for index in acknowledged.indices where !incarnations.contains(acknowledged[index].incarnation) {
            acknowledged[index].isForgotten = true
        }
    }

    mutating func forged() { hasForged = true }

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
            if !told.insert(outcome.event).inserted {
                witness.fail("E2: \(device) hears twice what became of \(outcome.event)")
            }
        }
    }

    mutating func beganIncarnation(_ reason: IncarnationReason, _ witness: Witness, _ device: SimulatedDevice) {
        if !wasRestored { witness.fail("E1: \(device) was not restored, and begins an incarnation: \(reason)") }
        wasRestored = false
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
            // For good, also when an older copy of the store has it still.
            let isLost = declaredLost.contains { lost, told in
                told == history && lost.incarnation == offer.incarnation && (lost.first...lost.last).contains(sequence)
            }
            if isLost { continue }
            let verdict = refusals[sequence] ?? ""
            if !offer.code.isEmpty, !hasForged, offered.outcome.code != verdict {
                witness.fail(
                    "S6: \(device) has a receipt of \(offered.envelope.id): \"\(offered.outcome.code)\". It is \"\(verdict)\""
                )
            }
            for known in acknowledged.indices where acknowledged[known].event == offered.envelope.id {
                acknowledged[known].verdict = verdict
                acknowledged[known].history = history
            }
        }
    }

    /// - Parameter history: of the log, that the connection was made in.
    mutating func saw(_ message: ServerMessage, history: Int, _ witness: Witness, _ device: SimulatedDevice) {
        if history > floorHistory { (floor, floorHistory) = (.zero, history) }
        switch message {
        case .appended(let appended): floor = max(floor, appended.version)
        case .recalled(let recalled): floor = max(floor, recalled.version)
        case .snapshotBegin(_, let collections): isPartial = !collections.isEmpty
        case .snapshotEnd(let cursor): if !isPartial { saw(cursor, witness, device) }
        case .deltaEnd(let cursor), .delta(_, _, let cursor), .checkpoint(let cursor, _): saw(cursor, witness, device)
        case .welcome, .snapshotRows, .deltaBegin, .deltaRows, .ping, .pong, .error, .goAway, .tokenExpiry, .fetched,
            .peerStatuses, .unknown:
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
