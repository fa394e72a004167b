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

    /// The scope as payloads, receipts and the stores of devices write it: `system`, or `app:` and the app.
    public var text: String { app.map { "app:\($0)" } ?? "system" }

    /// Nil when `text` is not a scope's text.
    public init?(text: String) {
        if text == "system" {
            self = .system
        } else {
            guard text.hasPrefix("app:"), let app = AppID(String(text.dropFirst(4))) else { return nil }
            self = .app(app)
        }
    }
}

/// What kind of device a session runs on; decides which form of a row it gets (rules N13, N15, B2).
public enum DeviceClass: String, Hashable, Sendable, CaseIterable {
    case phone, tablet, watch, desktop
}
