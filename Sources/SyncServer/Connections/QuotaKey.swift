import FocusCore

/// Whose quota it is: each device of each user has its own (rule Q5).
struct QuotaKey: Hashable, Sendable {
    var user: UserID
    var device: DeviceID

    init(_ identity: Identity) { (user, device) = (identity.user, identity.device) }
}
