/// What was done with a listed notification, as devices see it (rule N12; collection `actions`). The key is the
/// notification's id. The action is resolved once, when it arrives: a category that changes later does not change it
/// (rule E6).
public struct ActionRow: RowMessage {
    /// The action's id, also for a double tap.
    public var action: String
    public var doubleTap: Bool
    /// The time of its stamp.
    public var performedAt: Timestamp

    public init(action: String, doubleTap: Bool, performedAt: Timestamp) {
        self.action = action
        self.doubleTap = doubleTap
        self.performedAt = performedAt
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, action)
        writer.bool(2, doubleTap)
        writer.int(3, performedAt.microseconds)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(action: "", doubleTap: false, performedAt: Timestamp(microseconds: 0))
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: action = try value.string()
            case 2: doubleTap = try value.bool()
            case 3: performedAt = try value.timestamp()
            default: break
            }
        }
    }
}
