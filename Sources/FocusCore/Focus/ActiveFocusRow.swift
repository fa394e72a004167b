/// The Focus that is on, as devices see it (collection `active_focus`). There is no row when none is on.
public struct ActiveFocusRow: RowMessage {
    public var focusID: String
    /// When it ends by itself (rule F2); nil when it is on until somebody ends it.
    public var endsAt: Timestamp?

    public init(focusID: String, endsAt: Timestamp?) {
        self.focusID = focusID
        self.endsAt = endsAt
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, focusID)
        writer.presentInt(2, endsAt?.microseconds)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(focusID: "", endsAt: nil)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: focusID = try value.string()
            case 2: endsAt = try value.timestamp()
            default: break
            }
        }
    }
}
