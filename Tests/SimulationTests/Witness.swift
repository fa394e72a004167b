import EventStore
import FocusCore
import FocusSyncClient

/// Sees everything that is committed and every frame that reaches a device, and knows what must hold of them.
final class Witness {
    /// What is wrong; nil while nothing is.
    private(set) var failure: String?

    /// A user's state after each of their events, from version 0: the fold, run once more beside the servers.
    private var states: [UserID: [UserState]] = [:]
    private(set) var log: [LoggedEvent] = []
    private var lastSequences: [SequenceKey: DeviceSequence] = [:]
    private var versions: [SequenceKey: [Version]] = [:]

    private struct SequenceKey: Hashable {
        var device: DeviceID
        var incarnation: Incarnation
    }

    func fail(_ message: String) { failure = failure ?? message }

    // MARK: Log

    func committed(_ event: LoggedEvent) {
        log.append(event)
        var state = states[event.user]?.last ?? UserState(user: event.user)
        let key = SequenceKey(device: event.device, incarnation: event.incarnation)
        let expected = lastSequences[key, default: .zero].next
        if event.sequence != expected {
            fail("E1: \(event.device) has sequence \(event.sequence) logged where \(expected) is due")
        }
        lastSequences[key] = event.sequence
        versions[key, default: []].append(event.version)
        do {
            _ = try state.apply(event.decoded())
        } catch {
            return fail("a logged event does not fold: \(error)")
        }
        states[event.user, default: [UserState(user: event.user)]].append(state)
    }

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
        case .snapshotBegin, .deltaBegin, .ping, .pong, .error, .goAway, .tokenExpiry, .fetched, .peerStatuses, .unknown:
            break
        }
    }

    private func sawWelcome(_ welcome: Welcome, _ device: SimulatedDevice) {
        let logged = lastSequences[SequenceKey(device: device.id, incarnation: device.incarnation), default: .zero]
        if welcome.lastSequence > logged {
            fail("P1: \(device) hears of sequence \(welcome.lastSequence), the log ends at \(logged)")
        }
        if welcome.lastSequence < device.highestAcknowledged {
            fail(
                "P2: \(device) has sequence \(device.highestAcknowledged) acknowledged and is told \(welcome.lastSequence)"
            )
        }
    }

    private func sawAppended(_ appended: Appended, _ device: SimulatedDevice) {
        let key = SequenceKey(device: device.id, incarnation: device.incarnation)
        let logged = lastSequences[key, default: .zero]
        guard appended.throughSequence <= logged else {
            return fail("P1: \(device) hears of sequence \(appended.throughSequence), the log ends at \(logged)")
        }
        if appended.version > version(of: device.user) {
            fail("P1: \(device) hears of version \(appended.version), the log ends at \(version(of: device.user))")
        }
        guard appended.throughSequence > .zero, let versions = versions[key] else { return }
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
