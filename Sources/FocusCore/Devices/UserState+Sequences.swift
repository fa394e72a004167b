extension UserState {
    /// How an event that a device offers relates to what was logged of the device (rule E1).
    public func check(device: DeviceID, incarnation: Incarnation, sequence: DeviceSequence) -> SequenceCheck {
        let first = DeviceSequence(1)
        let check = reading(incarnation, of: device) { record -> SequenceCheck in
            if sequence < first { return .gap(expected: record.last.next) }
            if sequence <= record.last { return record.lost.contains(sequence) ? .lost : .earlier }
            return sequence == record.last.next ? .next : .gap(expected: record.last.next)
        }
        return check ?? (sequence == first ? .next : .gap(expected: first))
    }

    /// The answer to the event, if it is among the last 256 of its device in the scope, in whichever incarnation; nil
    /// otherwise. A device of protocol 1 that sends the event again gets this answer again (rule E1).
    public func remembered(_ event: EventID, of device: DeviceID, _ scope: Scope) -> Outcome? {
        guard let index = devices.index(forKey: device) else { return nil }
        return devices.values[index].outcome(of: event, scope)?.bounded
    }

    /// The last sequence logged of a device incarnation; zero when there is none.
    public func lastSequence(of device: DeviceID, incarnation: Incarnation) -> DeviceSequence {
        reading(incarnation, of: device) { $0.last } ?? .zero
    }

    /// Reads an incarnation's record without copying it; nil when there is none.
    func reading<Value>(
        _ incarnation: Incarnation, of device: DeviceID, _ body: (borrowing IncarnationRecord) -> Value
    ) -> Value? {
        guard let index = devices.index(forKey: device) else { return nil }
        return devices.values[index].reading(incarnation, body)
    }

    /// Records the event at its place and makes its stamp.
    mutating func recordPlace(of event: Event) throws(FoldError) -> RecordedPlace {
        let index: Dictionary<DeviceID, DeviceRecord>.Index
        if let known = devices.index(forKey: event.device) {
            index = known
        } else {
            devices[event.device] = DeviceRecord(event.device)
            guard let new = devices.index(forKey: event.device) else { throw .brokenInvariant("a device vanished") }
            index = new
        }
        let place = try devices.values[index].record(event)
        markSeen(event.device)
        if let page = place.page { placePages[page.key] = page.bytes }
        return place
    }

    /// The stamp that an event gets if it is accepted next.
    func nextStamp(_ event: Event) -> Stamp {
        (devices[event.device] ?? DeviceRecord(event.device)).nextStamp(event)
    }

    /// Rule E2: the refusal becomes a row for the device that sent the event, in its scope.
    mutating func applyRefused(_ refused: EventRefused, _ event: Event) {
        guard refused.code != RefusalCode.alreadyLogged.rawValue else { return }
        let key = RowKey(
            .refusals, app: event.app, key: "\(event.device)/\(event.incarnation.rawValue)/\(event.sequence)")
        let row = RefusalRow(
            event: event.id, type: refused.type, code: refused.code, message: refused.message,
            occurredAt: event.occurredAt)
        shared.put(key, row.encoded)
        let oldest = devices[event.device, default: DeviceRecord(event.device)].keep(refusal: key)
        if let oldest { shared.remove(oldest) }
    }

    /// Makes these refusals the newest of their devices. Refusals are loaded in the order of change, and the oldest leave
    /// first: an event that changes some must move them here as a load of their rows would.
    mutating func moveToEnd(refusals keys: [RowKey]) {
        for key in keys.sorted() where key.collection == .refusals {
            guard let device = key.refusedDevice, var kept = devices[device]?.refusals[key.app],
                let place = kept.firstIndex(of: key)
            else { continue }
            kept.append(kept.remove(at: place))
            devices[device]?.refusals[key.app] = kept
        }
    }
}

extension RowKey {
    /// The device whose event was refused, where the key is one of `refusals`; nil when it is malformed.
    var refusedDevice: DeviceID? { key.split(separator: "/").first.flatMap { DeviceID(text: String($0)) } }
}
