import EventStore
import FocusCore

@testable import FocusSyncClient

/// What each frame that reaches a device may tell it.
extension Witness {
    /// A frame has reached a device.
    /// - Parameter writtenAt: when the server wrote it.
    func saw(_ message: ServerMessage, _ device: SimulatedDevice, writtenAt: Int64) {
        switch message {
        case .welcome(let welcome): sawWelcome(welcome, device)
        case .appended(let appended): sawAppended(appended, device)
        case .snapshotRows(let rows), .deltaRows(let rows): sawRows(rows, device)
        case .delta(_, let rows, let cursor):
            sawRows(rows, device)
            saw(cursor, device)
        case .snapshotEnd(let cursor), .deltaEnd(let cursor), .checkpoint(let cursor, _): saw(cursor, device)
        case .error(let error): sawError(error, device, writtenAt)
        case .recalled(let recalled): sawRecalled(recalled, device)
        case .snapshotBegin, .deltaBegin, .ping, .pong, .goAway, .tokenExpiry, .fetched, .peerStatuses,
            .unknown:
            break
        }
    }

    /// Unless the seed lets appends fail, or the database was in trouble, the log answers: a server that lacks events
    /// must read them, and must not refuse.
    private func sawError(_ error: ProtocolError, _ device: SimulatedDevice, _ writtenAt: Int64) {
        guard error.code == .unavailable || error.code == .userQuarantined, !mayBeUnavailable(at: writtenAt, by: device.link?.server)
        else { return }
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

    /// Rule P10: the answer to a Recall holds for ever.
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

    /// Compares the answer to a Recall with the log.
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
        // Events without a place are answered in the same way.
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
        let due = versions[Int(appended.throughSequence.rawValue) - 1]
        // Whether the session counts by its app's stream, the answer does not say.
        let silent = state(of: device.user, at: due).head(of: device.view.silenced).version
        if appended.version < min(due, silent) {
            fail("P7: \(device) is promised version \(appended.version), its event came later")
        }
    }

    /// Rule S7 and the scopes, checked without `View.includes`.
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
        let view = device.view(of: cursor)
        let end = state(of: device.user).head(of: view).version
        guard cursor.version <= end else {
            return fail("P1: \(device) stands at \(cursor.version), the log ends at \(end)")
        }
        if state(of: device.user, at: cursor, in: view) == nil, !mayBeAltered(device.user, at: cursor, in: view) {
            fail("S4: the cursor of \(device) names an event that is not there")
        }
        if cursor.view != view.hash { fail("S4: the cursor of \(device) is of another view") }
    }
}

extension DeviceSequence {
    fileprivate mutating func raise(to other: DeviceSequence) { self = max(self, other) }
}
