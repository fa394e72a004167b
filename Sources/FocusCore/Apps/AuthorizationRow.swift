/// What a person allowed an app, as devices see it (collection `authorizations`).
public struct AuthorizationRow: RowMessage {
    public var kind: AuthorizationKind
    public var status: AuthorizationStatus

    public init(kind: AuthorizationKind, status: AuthorizationStatus) {
        self.kind = kind
        self.status = status
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int(1, Int64(kind.rawValue))
        writer.int(2, Int64(status.rawValue))
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (kind, status): (AuthorizationKind?, AuthorizationStatus?)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: kind = try value.member(of: AuthorizationKind.self)
            case 2: status = try value.member(of: AuthorizationStatus.self)
            default: break
            }
        }
        guard let kind, let status else { throw .malformed }
        self.init(kind: kind, status: status)
    }
}

extension AuthorizationKind {
    /// The key of its row.
    public var name: String {
        switch self {
        case .notifications: "notifications"
        case .focusStatus: "focusStatus"
        case .location: "location"
        case .shareWorkouts: "shareWorkouts"
        case .shareRoutes: "shareRoutes"
        case .readWorkouts: "readWorkouts"
        case .readRoutes: "readRoutes"
        case .marketing: "marketing"
        }
    }
}
