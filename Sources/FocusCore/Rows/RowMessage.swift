/// The value of a public row: a message of `Schema/proto/focus/sync/v1`, in the one canonical encoding (rule S9).
public protocol RowMessage: Hashable, Sendable {
    /// The canonical bytes: what is stored, hashed and sent.
    var encoded: [UInt8] { get }
    /// Throws when `bytes` are not a message of this kind.
    init(decoding bytes: [UInt8]) throws(ProtoError)
}

extension ProtoValue {
    /// A number of one of our enums; throws when it is not one of its cases.
    func member<Member: RawRepresentable<Int32>>(of _: Member.Type) throws(ProtoError) -> Member {
        guard let number = Int32(exactly: try int()), let member = Member(rawValue: number) else { throw .unexpected }
        return member
    }

    func timestamp() throws(ProtoError) -> Timestamp { Timestamp(microseconds: try int()) }

    func uuid<ID: UUIDIdentifier>(_: ID.Type) throws(ProtoError) -> ID {
        guard let id = ID(bytes: try bytes()) else { throw .unexpected }
        return id
    }

    /// An inner message written by `ProtoWriter.stamp`.
    func stamp() throws(ProtoError) -> Stamp {
        var reader = ProtoReader(try bytes())
        var (time, device, sequence) = (Timestamp(microseconds: 0), DeviceID.server, DeviceSequence.zero)
        var isOfApp = false
        while let (field, value) = try reader.next() {
            switch field {
            case 1: time = Timestamp(microseconds: try value.sint())
            case 2: device = try value.uuid(DeviceID.self)
            case 3: sequence = DeviceSequence(try value.int())
            case 4: isOfApp = try value.bool()
            default: break
            }
        }
        return Stamp(time: time, device: device, sequence: sequence, isOfApp: isOfApp)
    }
}

extension ProtoWriter {
    mutating func presentInt(_ field: Int, _ value: Int64?) {
        guard let value else { return }
        presentVarint(field, UInt64(bitPattern: value))
    }

    mutating func optionalString(_ field: Int, _ value: String?) {
        guard let value else { return }
        presentString(field, value)
    }

    /// Absent when nil.
    mutating func stamp(_ field: Int, _ stamp: Stamp?) {
        guard let stamp else { return }
        message(field) { inner in
            inner.sint(1, stamp.time.microseconds)
            inner.presentData(2, stamp.device.bytes)
            inner.int(3, stamp.sequence.rawValue)
            inner.bool(4, stamp.isOfApp)
        }
    }
}
