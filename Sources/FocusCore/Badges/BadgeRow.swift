/// The number on an app's icon (rules B1, B2; collection `badges`).
public struct BadgeRow: RowMessage {
    /// Unread notifications in the list; nil: no badge is shown.
    public var count: Int?

    public init(count: Int?) { self.count = count }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.presentInt(1, count.map(Int64.init))
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(count: nil)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: count = Int(try value.int())
            default: break
            }
        }
    }
}
