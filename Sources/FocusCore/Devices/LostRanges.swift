/// The lost places of an incarnation: `device.eventsLost` was logged for them, and no event has filled them since (rule
/// S6). The ranges ascend and do not touch.
struct LostRanges: Hashable, Sendable {
    /// The most ranges. With one more, the oldest is dropped: its places count as taken, and an event that turns up for
    /// one of them is logged at another place.
    static let limit = 1_024

    private(set) var ranges: [ClosedRange<DeviceSequence>] = []

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ sequence: DeviceSequence) -> Bool {
        // Mostly there is no range at all, or the newest one is asked for.
        ranges.last { $0.lowerBound <= sequence }.map { $0.contains(sequence) } ?? false
    }

    /// Adds a range of places that were lost just now. A range that begins where the last one ends is joined to it.
    /// Past `limit` the oldest range is dropped.
    /// - Precondition: `range` begins after the end of every other range. The caller sees to that: losses are declared
    ///   from the incarnation's next place on.
    mutating func append(_ range: ClosedRange<DeviceSequence>) {
        if let last = ranges.last, last.upperBound.next == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...range.upperBound
        } else {
            ranges.append(range)
        }
        if ranges.count > Self.limit { ranges.removeFirst() }
    }

    /// Takes a place out of its range, because an event fills it. A range that is cut in two may be one too many: then
    /// the oldest is dropped.
    mutating func fill(_ sequence: DeviceSequence) {
        guard let index = ranges.lastIndex(where: { $0.contains(sequence) }) else { return }
        let range = ranges.remove(at: index)
        if sequence < range.upperBound { ranges.insert(sequence.next...range.upperBound, at: index) }
        if sequence > range.lowerBound { ranges.insert(range.lowerBound...sequence.advanced(by: -1), at: index) }
        if ranges.count > Self.limit { ranges.removeFirst() }
    }

    func write(_ field: Int, _ writer: inout ProtoWriter) {
        for range in ranges {
            writer.message(field) { inner in
                inner.int(1, range.lowerBound.rawValue)
                inner.int(2, range.upperBound.rawValue)
            }
        }
    }

    mutating func read(_ value: ProtoValue) throws(ProtoError) {
        var reader = ProtoReader(try value.bytes())
        var (first, last) = (Int64(0), Int64(0))
        while let (field, value) = try reader.next() {
            switch field {
            case 1: first = try value.int()
            case 2: last = try value.int()
            default: break
            }
        }
        guard first >= 1, last >= first, last <= Int64.max / 2, ranges.count < Self.limit,
            ranges.last.map({ $0.upperBound.rawValue < first }) ?? true
        else { throw .malformed }
        ranges.append(DeviceSequence(first)...DeviceSequence(last))
    }
}
