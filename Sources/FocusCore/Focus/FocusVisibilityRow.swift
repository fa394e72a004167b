/// The user's Focus status as an app sees it (rule F3; collection `focus_visibility`).
public struct FocusVisibilityRow: RowMessage {
    /// Nil when the status is unavailable, for whatever reason.
    public var isFocused: Bool?

    public init(isFocused: Bool?) { self.isFocused = isFocused }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.presentInt(1, isFocused.map { $0 ? 1 : 0 })
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(isFocused: nil)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: isFocused = try value.bool()
            default: break
            }
        }
    }
}
