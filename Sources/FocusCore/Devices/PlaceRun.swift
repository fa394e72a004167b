/// Where consecutive events of a device incarnation stand in their user's stream (rule E1): enough to read them from
/// the log without an index of sequences.
public struct PlaceRun: Hashable, Sendable {
    /// The most events of one run.
    static let eventLimit = 256
    /// The most versions of other events between two events of a run.
    static let gapLimit: Int64 = 16
    /// The most versions that a run may span.
    static let spanLimit = Int64(eventLimit) * (gapLimit + 1)

    /// The sequence of the first event; the others follow densely.
    public private(set) var first: DeviceSequence
    public private(set) var last: DeviceSequence
    /// The versions of the first event and of the last.
    public private(set) var versions: ClosedRange<Version>

    init(_ sequence: DeviceSequence, at version: Version) {
        first = sequence
        last = sequence
        versions = version...version
    }

    /// Nil when no run can have these bounds.
    init?(first: DeviceSequence, count: Int64, firstVersion: Version, span: Int64) {
        guard first > .zero, (1...Int64(Self.eventLimit)).contains(count), (count...Self.spanLimit).contains(span),
            first.rawValue < Int64.max / 2, firstVersion > .zero, firstVersion.rawValue < Int64.max / 2
        else { return nil }
        self.first = first
        last = first.advanced(by: Int(count) - 1)
        versions = firstVersion...firstVersion.advanced(by: Int(span) - 1)
    }

    var count: Int64 { last.rawValue - first.rawValue + 1 }
    var span: Int64 { versions.upperBound.rawValue - versions.lowerBound.rawValue + 1 }

    /// Adds the next event. Returns false when it does not fit: then it has to begin another run.
    mutating func extend(to sequence: DeviceSequence, at version: Version) -> Bool {
        guard sequence == last.next, count < Self.eventLimit,
            version.rawValue - versions.upperBound.rawValue - 1 <= Self.gapLimit
        else { return false }
        last = sequence
        versions = versions.lowerBound...version
        return true
    }
}

/// Runs of one incarnation, in the order of their sequences, which is that of their versions too. A page still grows,
/// or it is full and never changes again.
struct PlacePage: Hashable, Sendable {
    static let runLimit = 256

    private(set) var runs: [PlaceRun] = []

    var first: DeviceSequence? { runs.first?.first }

    /// Adds the next event. Returns false when the page is full.
    mutating func add(_ sequence: DeviceSequence, at version: Version) -> Bool {
        if !runs.isEmpty, runs[runs.count - 1].extend(to: sequence, at: version) { return true }
        guard runs.count < Self.runLimit else { return false }
        runs.append(PlaceRun(sequence, at: version))
        return true
    }

    /// The bytes of the page: four varints for each run, 4 to 6 bytes. They are: how far its first sequence is from the
    /// end of the run before; the same of its first version; the number of its events, less one; and how many versions
    /// within it belong to other events.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        var (sequence, version) = (Int64(0), Int64(0))
        for run in runs {
            for number in [
                run.first.rawValue - sequence, run.versions.lowerBound.rawValue - version, run.count - 1,
                run.span - run.count,
            ] {
                Self.append(UInt64(bitPattern: number), to: &bytes)
            }
            (sequence, version) = (run.last.rawValue, run.versions.upperBound.rawValue)
        }
        return bytes
    }

    init() {}

    init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var rest = bytes
        var (sequence, version) = (Int64(0), Int64(0))
        while !rest.isEmpty {
            var numbers: [Int64] = []
            for _ in 0..<4 { numbers.append(try Self.number(&rest)) }
            guard runs.count < Self.runLimit,
                let run = PlaceRun(
                    first: DeviceSequence(sequence + numbers[0]), count: numbers[2] + 1,
                    firstVersion: Version(version + numbers[1]), span: numbers[2] + 1 + numbers[3]),
                run.first.rawValue > sequence, run.versions.lowerBound.rawValue > version
            else { throw .malformed }
            runs.append(run)
            (sequence, version) = (run.last.rawValue, run.versions.upperBound.rawValue)
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads a varint that is below 2^62: two of them add up without overflow.
    private static func number(_ bytes: inout ArraySlice<UInt8>) throws(ProtoError) -> Int64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { throw .truncated }
            value |= UInt64(byte & 0x7F) << shift
            guard byte >= 0x80 else {
                guard value < 1 << 62 else { throw .malformed }
                return Int64(value)
            }
        }
        throw .malformed
    }
}

/// Names a full page: `<device>/<incarnation>/<first sequence>`, the numbers as 16 hexadecimal digits, so that pages
/// are in the order of their sequences (collection `place_pages`).
public struct PlacePageKey: Hashable, Sendable {
    public var device: DeviceID
    public var incarnation: Incarnation
    public var first: DeviceSequence

    public init(device: DeviceID, incarnation: Incarnation, first: DeviceSequence) {
        self.device = device
        self.incarnation = incarnation
        self.first = first
    }

    public var text: String { Self.prefix(device, incarnation) + Self.digits(UInt64(bitPattern: first.rawValue)) }

    /// What the keys of all pages of an incarnation begin with.
    public static func prefix(_ device: DeviceID, _ incarnation: Incarnation) -> String {
        "\(device)/\(digits(UInt64(bitPattern: incarnation.rawValue)))/"
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// The runs of a stored page.
    public static func runs(decoding bytes: [UInt8]) throws(ProtoError) -> [PlaceRun] {
        try PlacePage(decoding: bytes[...]).runs
    }
}
