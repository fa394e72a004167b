/// What the fold remembers of one incarnation of a device: its last event, and at which versions of the user's stream
/// its events are.
struct IncarnationRecord: Hashable, Sendable {
    /// Which of the device's histories it counts in.
    var owner: HistoryOwner
    var last = DeviceSequence.zero
    /// The event at `last`; nil when that is lost, or there is none.
    var lastEvent: EventID?
    /// The version of the newest event; it tells which incarnation was used longest ago.
    var lastVersion = Version.zero
    /// It takes no further event (rule P10).
    var isEnded = false
    /// Whether its sequences began at 1 a second time, which earlier programs allowed. One sequence may then have two
    /// events, so a place is searched for in the whole stream.
    var isRepeated = false
    var lost = LostRanges()
    /// The version at which a lost place was last filled. Whoever read the log before that version does not know that
    /// the place is taken.
    var filledAt = Version.zero
    /// The newest runs of its events; earlier runs are rows of `place_pages`.
    var page = PlacePage()

    init(_ owner: HistoryOwner) { self.owner = owner }

    /// The bytes of memory that its lists take, roughly.
    var approximateBytes: Int {
        lost.ranges.count * MemoryLayout<ClosedRange<DeviceSequence>>.stride * 3 / 2
            + page.runs.count * MemoryLayout<PlaceRun>.stride * 3 / 2
    }

    /// Records the event at its place: the next one, or a lost one that gets its event back. Declared losses may go
    /// past the next place, and an unbound incarnation may begin again at 1. Throws `sequenceGap` for any other place.
    /// - Returns: the page that became full; nil when none did.
    mutating func record(_ event: Event) throws(FoldError) -> PlacePage? {
        if owner != .unbound, !event.isOfLostEvents, lost.contains(event.sequence) {
            lost.fill(event.sequence)
            filledAt = event.version
            lastVersion = event.version
            return nil
        }
        let expected = last.next
        if event.sequence != expected {
            if owner == .unbound, event.firstSequence == DeviceSequence(1) {
                (isRepeated, last) = (true, .zero)
                (page, lost) = (PlacePage(), LostRanges())
            } else if !(event.isOfLostEvents && event.sequence > expected) {
                throw .sequenceGap(device: event.device, expected: expected, found: event.sequence)
            }
        }
        if event.isOfLostEvents { lost.append(min(last.next, event.sequence)...event.sequence) }
        last = event.sequence
        lastEvent = event.isOfLostEvents ? nil : event.id
        lastVersion = event.version
        guard event.device != .server, !isRepeated, !event.isOfLostEvents else { return nil }
        if page.add(event.sequence, at: event.version) { return nil }
        let full = page
        page = PlacePage()
        _ = page.add(event.sequence, at: event.version)
        return full
    }
}

extension IncarnationRecord {
    func write(_ incarnation: Incarnation, _ writer: inout ProtoWriter) {
        writer.sint(1, incarnation.rawValue)
        writer.int(2, last.rawValue)
        if let lastEvent { writer.data(3, lastEvent.bytes) }
        writer.int(4, lastVersion.rawValue)
        writer.bool(5, isEnded)
        writer.bool(6, isRepeated)
        lost.write(7, &writer)
        writer.int(8, filledAt.rawValue)
        writer.data(9, page.encoded)
        switch owner {
        case .unbound: break
        case .scope(.system): writer.bool(10, true)
        case .scope(.app(let app)): writer.string(11, app.rawValue)
        }
    }

    static func read(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> (Incarnation, IncarnationRecord) {
        var reader = ProtoReader(bytes)
        var incarnation = Incarnation(0)
        var record = IncarnationRecord(.unbound)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: incarnation = Incarnation(try value.sint())
            case 2: record.last = DeviceSequence(try value.int())
            case 3: record.lastEvent = try value.uuid(EventID.self)
            case 4: record.lastVersion = Version(try value.int())
            case 5: record.isEnded = try value.bool()
            case 6: record.isRepeated = try value.bool()
            case 7: try record.lost.read(value)
            case 8: record.filledAt = Version(try value.int())
            case 9: record.page = try PlacePage(decoding: try value.bytes())
            case 10: record.owner = .scope(.system)
            case 11:
                guard let app = AppID(try value.string()) else { throw .unexpected }
                record.owner = .scope(.app(app))
            default: break
            }
        }
        // Far below overflow, and far above what a device can log.
        guard (0...Int64.max / 2).contains(record.last.rawValue), record.lastVersion >= .zero else { throw .malformed }
        return (incarnation, record)
    }
}

extension Event {
    var isOfLostEvents: Bool {
        if case .deviceEventsLost = body { true } else { false }
    }

    /// The first of the places that it takes.
    fileprivate var firstSequence: DeviceSequence {
        if case .deviceEventsLost(let lost) = body { lost.first } else { sequence }
    }
}
