extension UserState {
    /// How an event that a device offers stands to what was logged of it (rule E1).
    public func check(
        device: DeviceID, incarnation: Incarnation, sequence: DeviceSequence, event: EventID
    ) -> SequenceCheck {
        let first = DeviceSequence(1)
        guard let index = devices.index(forKey: device) else {
            return sequence == first ? .next : .gap(expected: first)
        }
        let last = devices.values[index].lastSequence(of: incarnation)
        if sequence < first { return .gap(expected: last.next) }
        if sequence <= last {
            guard let logged = devices.values[index].outcomes.event(incarnation, sequence) else {
                return .duplicate(nil)
            }
            return logged.id == event ? .duplicate(logged.outcome) : .conflict
        }
        guard sequence == last.next else { return .gap(expected: last.next) }
        if let outcome = devices.values[index].outcomes.outcome(of: event) { return .repeated(outcome) }
        return .next
    }

    /// The last sequence logged of a device incarnation; zero when there is none.
    public func lastSequence(of device: DeviceID, incarnation: Incarnation) -> DeviceSequence {
        devices[device]?.lastSequence(of: incarnation) ?? .zero
    }

    /// Takes the event's sequence and makes its stamp and the key of its device's row. A refused event leaves no stamp
    /// (rule E2).
    mutating func recordSequence(of event: Event) throws(FoldError) -> (Stamp, RowKey) {
        let index: Dictionary<DeviceID, DeviceRecord>.Index
        if let known = devices.index(forKey: event.device) {
            index = known
        } else {
            devices[event.device] = DeviceRecord(event.device)
            guard let new = devices.index(forKey: event.device) else { throw .brokenInvariant("a device vanished") }
            index = new
        }
        try devices.values[index].record(event)
        let key = devices.values[index].key
        if event.leavesNoStamp {
            return (Stamp(time: event.occurredAt, device: event.device, sequence: event.sequence), key)
        }
        return (devices.values[index].stamp(event), key)
    }

    /// The stamp that an event gets if it is accepted next.
    func nextStamp(_ event: Event) -> Stamp {
        var record = devices[event.device] ?? DeviceRecord(event.device)
        return record.stamp(event)
    }

    /// Rule E2: the refusal becomes a row for the device that sent the event, in its scope.
    mutating func applyRefused(_ refused: EventRefused, _ event: Event, _ context: inout FoldContext) {
        guard refused.code != RefusalCode.alreadyLogged.rawValue else { return }
        let key = RowKey(
            .refusals, app: event.app, key: "\(event.device)/\(event.incarnation.rawValue)/\(event.sequence)")
        let row = RefusalRow(
            event: event.id, type: refused.type, code: refused.code, message: refused.message,
            occurredAt: event.occurredAt)
        put(key, row.encoded, &context)
        devices[event.device, default: DeviceRecord(event.device)].refusals.append(key)
        if devices[event.device, default: DeviceRecord(event.device)].refusals.count > EventLimits.outcomesPerDevice {
            remove(devices[event.device, default: DeviceRecord(event.device)].refusals.removeFirst(), &context)
        }
    }
}
