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
    /// Every event that the log has, as the device was told, and with what verdict.
    private(set) var acknowledged: [(event: EventID, verdict: AppendOutcome.Verdict)] = []
    /// Told since the store was last restored.
    private var told: Set<EventID> = []
    /// No row, cursor or digest may be of an earlier version: one was shown or promised already (rule P7).
    private var floor = Version.zero
    private var wasRestored = false
    /// The snapshot under way is of some collections, and ends with the cursor that was there before it.
    private var isPartial = false

    mutating func queued(_ events: [QueuedEvent], _ incarnation: Incarnation) {
        for event in events { queued[event.envelope.id] = Queued(place: queued.count, incarnation: incarnation) }
    }

    mutating func restored() {
        told = []
        wasRestored = true
    }

    mutating func acknowledged(_ outcomes: [AppendOutcome], _ witness: Witness, _ device: SimulatedDevice) {
        for outcome in outcomes {
            acknowledged.append((outcome.event, outcome.verdict))
            if !told.insert(outcome.event).inserted {
                witness.fail("E2: \(device) hears twice what became of \(outcome.event)")
            }
        }
    }

    mutating func beganIncarnation(_ reason: IncarnationReason, _ witness: Witness, _ device: SimulatedDevice) {
        if !wasRestored { witness.fail("E1: \(device) was not restored, and begins an incarnation: \(reason)") }
        wasRestored = false
    }

    mutating func saw(_ message: ServerMessage, _ witness: Witness, _ device: SimulatedDevice) {
        switch message {
        case .appended(let appended): floor = max(floor, appended.version)
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
