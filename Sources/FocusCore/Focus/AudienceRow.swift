/// A user who may be shown this user's status in an app (rule F5; collection `audience`). Their id is also the row's
/// key.
public struct AudienceRow: RowMessage {
    public var user: UserID

    public init(user: UserID) { self.user = user }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.presentString(1, user.description)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var user: UserID?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: user = UserID(text: try value.string())
            default: break
            }
        }
        guard let user else { throw .unexpected }
        self.init(user: user)
    }
}
