/// Places of an incarnation that `device.eventsLost` took and that nothing has filled since (rule S6), ascending.
struct LostRanges: Hashable, Sendable {
    /// Past this many the oldest range is closed: nothing fills it any more, and a copy that turns up gets a new place.
    static let limit = 1_024

    private(set) var ranges: [ClosedRange<DeviceSequence>] = []

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ sequence: DeviceSequence) -> Bool {
        // There is mostly no range, or the newest one is meant.
        ranges.last { $0.lowerBound <= sequence }.map { $0.contains(sequence) } ?? false
    }

    /// Appends a range that is behind all others.
    mutating func append(_ range: ClosedRange<DeviceSequence>) {
        if let last = ranges.last, last.upperBound.next == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...range.upperBound
        } else {
            ranges.append(range)
        }
        if ranges.count > Self.limit { ranges.removeFirst() }
    }

    /// Removes a place because an event fills it.
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
