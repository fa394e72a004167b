import EventStore
import FocusCore
import FocusSyncClient

/// The checks after everything has come to rest.
extension Simulation {
    func judge() {
        judgeLog()
        for device in devices + clones {
            try? device.noteHeld()
            judgeEvents(of: device)
            if !device.isClone, !witness.isRevoked(device) { judgeRows(of: device) }
        }
        judgeReadModel()
    }

    /// Offsets and versions are dense, `recorded_at` never falls, and a replay gives what the servers showed.
    private func judgeLog() {
        for partition in log.identity.allPartitions {
            var states: [UserID: UserState] = [:]
            for (index, event) in (log.events[partition] ?? []).enumerated() {
                if event.offset.rawValue != Int64(index) {
                    witness.fail("offsets of partition \(partition) have a gap")
                }
                do {
                    _ = try states[event.user, default: UserState(user: event.user)].apply(event.decoded())
                } catch {
                    return witness.fail("the log does not replay: \(error)")
                }
            }
            for (user, state) in states where state.version != witness.version(of: user) {
                witness.fail("a replay ends at \(state.version), the log at \(witness.version(of: user))")
            }
        }
    }

    /// Every acknowledged event is logged exactly once, with the outcome that the device was told, and in the device's
    /// order.
    private func judgeEvents(of device: SimulatedDevice) {
        let stores = stores(of: device.id)
        var logged: [EventID: String] = [:]
        var lost: [(incarnation: Incarnation, range: ClosedRange<DeviceSequence>)] = []
        var healed: Set<EventID> = []
        for event in witness.log where event.device == device.id {
            if let gone = event.lost {
                lost.append((event.incarnation, gone.first...gone.last))
                continue
            }
            if event.encoding == LoggedEvent.healed { healed.insert(event.id) }
            let verdict = verdict(of: event)
            // Another incarnation sent the event a second time: it holds a place and changes nothing (rule E1).
            if verdict == RefusalCode.alreadyLogged.rawValue {
                if logged[event.id] == nil { witness.fail("E1: \(event.id) is \"already logged\", and is not") }
                continue
            }
            logged[event.id] = verdict
            if !stores.contains(where: { $0.record.queued[event.id] != nil }) {
                witness.fail("\(event.id) is in the log, and \(device) never said it")
            }
        }
        judgeOrder(of: device)
        judgeAcknowledged(device, logged, healed) { told in
            lost.contains { $0.incarnation == told.incarnation && $0.range.contains(told.sequence) }
        }
    }

    /// Rule P6: the events of a store are logged in its order within each incarnation.
    private func judgeOrder(of device: SimulatedDevice) {
        var last: [Incarnation: DeviceSequence] = [:]
        var before: [Incarnation: [EventID]] = [:]
        for event in witness.log where event.device == device.id {
            // An event in a place that was lost comes late.
            guard event.sequence > last[event.incarnation, default: .zero] else { continue }
            last[event.incarnation] = event.sequence
            guard event.lost == nil else { continue }
            if before[event.incarnation, default: []].contains(where: { device.record.said(event.id, before: $0) }) {
                witness.fail("P6: events of \(device) are not in its order")
            }
            before[event.incarnation, default: []].append(event.id)
        }
    }

    private func judgeAcknowledged(
        _ device: SimulatedDevice, _ logged: [EventID: String], _ healed: Set<EventID>,
        isLost: (DeviceHistory.Acknowledged) -> Bool
    ) {
        let held = Set((try? device.storage.held().map(\.event)) ?? [])
        // A declared loss is final, even if an older copy of the store still holds the event.
        let lost = Set(device.record.acknowledged.lazy.filter(isLost).map(\.event))
        let isJudged = !device.isClone && !device.record.hasConflicts
        for event in held
        where isJudged && logged[event] == nil && !lost.contains(event) && !witness.isRevoked(device) {
            witness.fail("S6: \(device) holds \(event), which was acknowledged, and it is not in the log")
        }
        if !device.isClone, !device.record.waiting.isEmpty, !witness.isRevoked(device) {
            witness.fail("P1: \(device) waits for the answers to \(device.record.waiting)")
        }
        for told in device.record.acknowledged where !told.isDisplaced {
            // The log lost nothing since the device was told, so the event must be at its place.
            if told.history == history, !witness.isLogged(told.event, told.incarnation, told.sequence, device) {
                witness.fail("P1: \(told.event) of \(device) is not at \(told.incarnation)/\(told.sequence)")
            }
            guard let found = logged[told.event] else {
                // The log has lost the event, and a store that has forgotten it cannot declare it lost.
                let isForgotten =
                    told.isForgotten
                    || !held.contains(told.event) && witness.mayBeTakenByCopy(told.incarnation, told.sequence, device)
                let isExcused =
                    told.history < history
                    && (!isJudged || isForgotten || isLost(told) || witness.isRevoked(device))
                if !isExcused {
                    witness.fail("P1, S6: \(told.event) of \(device) was acknowledged, is not in the log and not lost")
                }
                continue
            }
            // The event was judged anew because the device had no receipt for it; the answer has not arrived.
            if told.history < history, !healed.contains(told.event) { continue }
            // Healed with the outcome of another lost history, which a copy of the store was told.
            if told.history < history, witness.wasJudgedTwice(told.event) { continue }
            if found != told.verdict {
                witness.fail("E2: \(device) was told \"\(told.verdict)\" of \(told.event), logged is \"\(found)\"")
            }
        }
    }

    /// The code of the refusal; empty if accepted.
    private func verdict(of event: LoggedEvent) -> String {
        guard event.type == EventType.eventRefused.rawValue,
            case .eventRefused(let refused)? = try? event.decoded().body
        else { return "" }
        return refused.code
    }

    /// The device's cursor is at the end of the log, and its rows are those of the log.
    private func judgeRows(of device: SimulatedDevice) {
        do {
            guard let cursor = try device.storage.cursor,
                cursor.version == witness.state(of: device.user).head(of: device.view(of: cursor)).version
            else { return witness.fail("\(device) does not stand at the end of the log") }
            device.record.compare(try device.storage.confirmed(), cursor, witness, device)
            if try device.storage.digests().filter({ $0.count > 0 })
                != device.storage.recomputedDigests().filter({ $0.count > 0 })
            {
                witness.fail("S9: the running digests of \(device) are not those of its rows")
            }
        } catch {
            witness.fail("\(device): the store cannot be read: \(error)")
        }
    }

    /// A server that starts now loads the same state as all others hold.
    private func judgeReadModel() {
        log.judgeCheckpoints()
        for user in life.users {
            do {
                let found = try log.load(user, log.identity.partition(of: user))
                let (loaded, expected) = (found.state, witness.state(of: user))
                // The checkpoints are at the log's end.
                if found.projectedVersion != expected.version {
                    witness.fail("the read model stays at \(found.projectedVersion) of \(expected.version)")
                }
                guard loaded.version == expected.version, loaded.rowKeys == expected.rowKeys else {
                    witness.fail("a loaded state has other rows than the log makes")
                    continue
                }
                for key in expected.rowKeys where loaded.row(key) != expected.row(key) {
                    witness.fail("a loaded state has another row \(key.collection) \(key.key) than the log makes")
                }
            } catch {
                witness.fail("a user does not load: \(error)")
            }
        }
    }
}
