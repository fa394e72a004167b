/// What became of a route's logged points (rule R2): `accepted + duplicate + dropped = logged`, and each count is the
/// same in whatever order the points came. A point that passes the filter is a duplicate when its microsecond is taken,
/// whether it or the one before it stays: duplicates = points that pass − distinct microseconds among them.
public struct RouteCounts: Hashable, Sendable {
    /// Points that make up the route: one per microsecond.
    public var accepted: Int
    public var duplicate: Int
    /// Dropped for `RouteDropReason.notFinite`.
    public var notFinite: Int
    /// Dropped for `RouteDropReason.impossible`.
    public var impossible: Int
    /// Dropped for `RouteDropReason.inaccurate`.
    public var inaccurate: Int

    public init(accepted: Int = 0, duplicate: Int = 0, notFinite: Int = 0, impossible: Int = 0, inaccurate: Int = 0) {
        self.accepted = accepted
        self.duplicate = duplicate
        self.notFinite = notFinite
        self.impossible = impossible
        self.inaccurate = inaccurate
    }

    public var dropped: Int { notFinite + impossible + inaccurate }
    public var logged: Int { accepted + duplicate + dropped }

    mutating func drop(for reason: RouteDropReason) {
        switch reason {
        case .notFinite: notFinite += 1
        case .impossible: impossible += 1
        case .inaccurate: inaccurate += 1
        }
    }
}

extension RouteCounts {
    /// Canonical bytes of the message `RouteCounts` in `Schema/proto/focus/sync/v1/route_rows.proto`.
    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout ProtoWriter) {
        writer.int(1, Int64(accepted))
        writer.int(2, Int64(duplicate))
        writer.int(3, Int64(notFinite))
        writer.int(4, Int64(impossible))
        writer.int(5, Int64(inaccurate))
    }

    public init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: accepted = try Self.count(value)
            case 2: duplicate = try Self.count(value)
            case 3: notFinite = try Self.count(value)
            case 4: impossible = try Self.count(value)
            case 5: inaccurate = try Self.count(value)
            default: break
            }
        }
    }

    /// Bounded so that no sum of counts can overflow: a fold never traps.
    private static func count(_ value: ProtoValue) throws(ProtoError) -> Int {
        let count = try value.int()
        guard (0...Int64(1) << 48).contains(count) else { throw .malformed }
        return Int(count)
    }
}
