/// What is remembered of a device: where its sequences are, its last answers, its greatest stamp (rules E1, E3).
struct DeviceRecord: Sendable {
    /// A device makes a new incarnation when its store was restored from a backup; the least recently used leave.
    static let incarnationLimit = 256
    static let approximateBytes = 6_000

    struct LastSequence: Hashable, Sendable {
        var incarnation: Incarnation
        var sequence: DeviceSequence
    }

    /// Its row. Kept, because every event names it and a UUID's text takes longer to make than all else about it.
    let key: RowKey
    /// The one used last at the end.
    var sequences: [LastSequence] = []
    var outcomes = RememberedOutcomes()
    /// Rule A3 of the protocol.
    var isRevoked = false
    /// Of its accepted events.
    var greatest: Stamp?
    /// Its rows in `refusals`, oldest first. From those rows, not from the memo.
    var refusals: [RowKey] = []

    init(_ device: DeviceID) { key = RowKey(.devices, key: device.description) }

    func lastSequence(of incarnation: Incarnation) -> DeviceSequence {
        sequences.last { $0.incarnation == incarnation }?.sequence ?? .zero
    }

    /// Takes the event's sequence, which must be the next.
    mutating func record(_ event: Event) throws(FoldError) {
        let place = sequences.lastIndex { $0.incarnation == event.incarnation }
        let expected = place.map { sequences[$0].sequence.next } ?? DeviceSequence(1)
        // Lost events are one event with the sequence of the last of them (rule S6).
        guard event.sequence == expected || (event.isOfLostEvents && event.sequence > expected) else {
            throw .sequenceGap(device: event.device, expected: expected, found: event.sequence)
        }
        if let place, place == sequences.count - 1 {
            sequences[place].sequence = event.sequence
        } else {
            if let place { sequences.remove(at: place) }
            if sequences.count == Self.incarnationLimit { sequences.removeFirst() }
            sequences.append(LastSequence(incarnation: event.incarnation, sequence: event.sequence))
        }
        // None of the lost events' ids is known: one that turns up is a duplicate without an answer, not a conflict.
        guard !event.isOfLostEvents else { return }
        outcomes.append(event.id, event.incarnation, event.sequence, event.rememberedRefusal)
    }

    /// The stamp of an accepted event (rule E3). Sequences start again in a new incarnation; where that would put the
    /// stamp below the device's last, the time moves on by the least there is.
    mutating func stamp(_ event: Event) -> Stamp {
        var stamp = Stamp(time: event.occurredAt, device: event.device, sequence: event.sequence)
        // The server reports when things were due, in whatever order: it is exempt.
        guard event.device != .server, let greatest else {
            greatest = stamp
            return stamp
        }
        stamp = Stamp(time: max(stamp.time, greatest.time), device: event.device, sequence: event.sequence)
        if stamp <= greatest {
            stamp = Stamp(
                time: greatest.time.adding(microseconds: 1), device: event.device, sequence: event.sequence)
        }
        self.greatest = stamp
        return stamp
    }
}

extension Event {
    fileprivate var isOfLostEvents: Bool {
        if case .deviceEventsLost = body { true } else { false }
    }

    /// It stands in the place of others (rules E2, S6).
    var leavesNoStamp: Bool {
        if case .eventRefused = body { true } else { isOfLostEvents }
    }

    /// Nil for an accepted event, and for a repeat of one that another incarnation had logged: that takes its sequence,
    /// makes no row, and keeps the first answer (rule E1).
    fileprivate var rememberedRefusal: RememberedOutcomes.Refused? {
        guard case .eventRefused(let refused) = body, refused.code != RefusalCode.alreadyLogged.rawValue else {
            return nil
        }
        return RememberedOutcomes.Refused(code: refused.code, message: refused.message)
    }
}
