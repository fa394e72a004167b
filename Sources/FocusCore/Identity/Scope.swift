/// What a session may append and see (domain.md §0).
public enum Scope: Hashable, Sendable {
    /// The device's own agent: everything of its user.
    case system
    /// One app on the device: events and rows of that app, nothing else.
    case app(AppID)

    /// The app of an app scope; nil for `system`.
    public var app: AppID? {
        switch self {
        case .system: nil
        case .app(let app): app
        }
    }
}

/// What kind of device a session runs on; decides which form of a row it gets (rules N13, N15, B2).
public enum DeviceClass: String, Hashable, Sendable, CaseIterable {
    case phone, tablet, watch, desktop
}
