/// What the person told the system about an app, of one kind (`authorization.changed`).
struct Permission: Hashable, Sendable {
    /// Nil before the first write.
    var status: Register<AuthorizationStatus>?
    /// When the kind last ceased to be authorized, by the writes that won (rule R1); nil: it never did.
    var endedAt: Stamp?

    /// Returns whether the write was kept.
    mutating func write(_ value: AuthorizationStatus, _ stamp: Stamp) -> Bool {
        let wasAuthorized = status?.value == .authorized
        guard status.write(value, stamp) else { return false }
        if wasAuthorized, value != .authorized { endedAt = stamp }
        return true
    }

    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, status?.stamp)
        writer.stamp(2, endedAt)
        return writer.bytes
    }

    init() {}

    init(memo: [UInt8], status: AuthorizationStatus) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var written: Stamp?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: written = try value.stamp()
            case 2: endedAt = try value.stamp()
            default: break
            }
        }
        guard let written else { throw .malformed }
        self.status = Register(status, written)
    }
}
