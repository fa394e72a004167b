/// The number on an app's icon (rules B1, B2; collection `badges`).
public struct BadgeRow: RowMessage {
    /// The badge on a class of device where it is shown although the phone's is hidden, or the other way round.
    public struct Other: Hashable, Sendable {
        public var deviceClass: DeviceClass
        /// Unread notifications in the list; nil when no badge is shown.
        public var count: Int?

        public init(_ deviceClass: DeviceClass, count: Int?) {
            self.deviceClass = deviceClass
            self.count = count
        }
    }

    /// Unread notifications in the list; nil when no badge is shown. It holds for the phone and every class not in
    /// `others`.
    public var count: Int?
    /// The classes whose badge differs from the phone's, in the order of their numbers.
    public var others: [Other]

    public init(count: Int?, others: [Other] = []) {
        self.count = count
        self.others = others
    }

    /// What a device of the class shows; nil when it shows no badge.
    public func count(on deviceClass: DeviceClass) -> Int? {
        guard let other = others.first(where: { $0.deviceClass == deviceClass }) else { return count }
        return other.count
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.presentInt(1, count.map(Int64.init))
        for other in others {
            writer.message(2) {
                $0.int(1, Int64(other.deviceClass.number))
                $0.presentInt(2, other.count.map(Int64.init))
            }
        }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(count: nil)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: count = Int(try value.int())
            case 2: others.append(try Other(decoding: value.bytes()))
            default: break
            }
        }
    }
}

extension BadgeRow.Other {
    fileprivate init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (deviceClass, count): (DeviceClass?, Int?)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: deviceClass = DeviceClass(number: try value.int())
            case 2: count = Int(try value.int())
            default: break
            }
        }
        guard let deviceClass else { throw .malformed }
        self.init(deviceClass, count: count)
    }
}
