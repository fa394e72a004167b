/// What became of the alert of a listed notification (rules N9, N10; collection `alerts`). The row's key is the
/// notification's id.
public struct AlertRow: RowMessage {
    public var decision: AlertDecision
    /// It is the app's first time-sensitive one (rule N3).
    public var introducesTimeSensitive: Bool
    /// The event whose post it is of: a re-post is a new decision, even when it comes out the same.
    public var post: Version

    public init(_ decision: AlertDecision, introducesTimeSensitive: Bool, post: Version) {
        self.decision = decision
        self.introducesTimeSensitive = introducesTimeSensitive
        self.post = post
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int(1, Int64(decision.alert.rawValue))
        writer.int(2, Int64(decision.reason.rawValue))
        writer.bool(3, decision.overridesSilentSwitch)
        writer.bool(4, introducesTimeSensitive)
        writer.int(5, post.rawValue)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (alert, reason): (Alert?, AlertReason?)
        var (overrides, introduces, post) = (false, false, Version.zero)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: alert = try value.member(of: Alert.self)
            case 2: reason = try value.member(of: AlertReason.self)
            case 3: overrides = try value.bool()
            case 4: introduces = try value.bool()
            case 5: post = Version(try value.int())
            default: break
            }
        }
        guard let alert, let reason else { throw .malformed }
        self.init(
            AlertDecision(alert, reason, overridesSilentSwitch: overrides), introducesTimeSensitive: introduces,
            post: post)
    }
}
