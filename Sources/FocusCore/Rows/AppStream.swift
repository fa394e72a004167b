/// What an app may see of a user, as a stream of its own (rule Z1): it moves with the rows of that app alone, so its
/// versions, its horizon and its fingerprint say nothing of other apps.
struct AppStream: Sendable {
    /// How many fingerprints are remembered. A cursor further back is not compared: the digests of its next checkpoint
    /// tell whether the log is another (rule S9).
    static let rememberedFingerprints = 32

    /// The key of its row in `app_streams`.
    let key: RowKey
    /// How many events changed a row that the app may see, or are of the app's own sessions.
    private(set) var count = Version.zero
    /// The fingerprints of the last versions, the newest at the end; up to twice as many as are remembered.
    private(set) var fingerprints: [UInt64] = []
    /// The version, in this stream, of the newest tombstone dropped (rule S5).
    var horizon = Version.zero
    /// The version at which a rebuild last changed rows. Fingerprints before it are those of another fold.
    var rebuiltAt = Version.zero
    var order = ChangeOrder()
    var tombstones = TombstoneQueue()
    /// Rows and traces of rows.
    var rowCount = 0
    /// The version of the user's event that moved the stream last; zero when no event did since it was loaded.
    private var movedAt = Version.zero

    init(_ app: AppID) { key = RowKey(.appStreams, app: app) }

    /// Counts an event of the user, once. Returns false when it was counted before.
    mutating func move(at version: Version) -> Bool {
        guard movedAt != version else { return false }
        movedAt = version
        count = count.next
        return true
    }

    /// Records that an event of the user changed a row. Returns whether it is the event's first.
    mutating func record(_ number: Int, at version: Version) -> Bool {
        let isFirst = move(at: version)
        order.append(number, at: count)
        return isFirst
    }

    /// Ends the event that moved the stream.
    /// - Parameter changes: the sum of the fingerprints of the rows that it changed, in whatever order.
    mutating func end(_ changes: UInt64) {
        if fingerprints.count == 2 * Self.rememberedFingerprints {
            fingerprints.removeFirst(Self.rememberedFingerprints)
        }
        fingerprints.append(Fingerprint.mix((fingerprints.last ?? 0) ^ Fingerprint.mix(changes)))
    }

    // MARK: Cursors

    /// What a cursor says of the stream's history at its end, in the form of an event's id. It is made of what the app
    /// may see, and of nothing else.
    var mark: EventID { mark(count, fingerprints.last) }

    /// Whether a cursor may be of this very history: false when it is certainly of another one.
    func mayContinue(_ version: Version, _ mark: EventID) -> Bool {
        guard version > .zero, version <= count else { return version == .zero }
        let age = Int(clamping: count.rawValue - version.rawValue)
        guard age < min(fingerprints.count, Self.rememberedFingerprints), version >= rebuiltAt else { return true }
        return self.mark(version, fingerprints[fingerprints.count - 1 - age]) == mark
    }

    /// A UUID of version 8, which is for makers' own purposes (RFC 9562 §5.8).
    private func mark(_ version: Version, _ fingerprint: UInt64?) -> EventID {
        guard version > .zero, let fingerprint else { return .none }
        let high = Fingerprint.mix(fingerprint &+ UInt64(bitPattern: version.rawValue))
        var bytes = withUnsafeBytes(of: (high.bigEndian, Fingerprint.mix(high).bigEndian)) { Array($0) }
        bytes[6] = 0x80 | bytes[6] & 0x0F
        bytes[8] = 0x80 | bytes[8] & 0x3F
        return EventID(bytes: bytes) ?? .none
    }

    // MARK: Memo

    /// The memo of its row in `app_streams`; empty before it moved.
    var memo: [UInt8] {
        guard count > .zero else { return [] }
        var writer = ProtoWriter()
        writer.int(1, count.rawValue)
        writer.int(2, horizon.rawValue)
        writer.int(3, rebuiltAt.rawValue)
        writer.data(
            4,
            fingerprints.suffix(Self.rememberedFingerprints).flatMap { print in
                withUnsafeBytes(of: print.bigEndian) { Array($0) }
            })
        return writer.bytes
    }

    mutating func read(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: count = Version(try value.int())
            case 2: horizon = Version(try value.int())
            case 3: rebuiltAt = Version(try value.int())
            case 4: fingerprints = try Self.fingerprints(try value.bytes())
            default: break
            }
        }
        guard fingerprints.count <= Self.rememberedFingerprints, count >= .zero else { throw .malformed }
    }

    private static func fingerprints(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> [UInt64] {
        guard bytes.count % 8 == 0 else { throw .malformed }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

/// Where a view stands when it has everything: the user's stream, or that of one app (rule Z1).
public struct StreamHead: Hashable, Sendable {
    public var version: Version
    /// What a cursor at `version` names (rules S4, Z1); the nil UUID at version 0.
    public var event: EventID
    /// A cursor below it needs a snapshot (rule S5).
    public var horizon: Version
}

extension EventID {
    /// Names no event: what stands at version 0.
    static let none = EventID(DeviceID.server.uuid)
}
