import FocusCore

/// A scope as tokens write it: `system`, or `app:<bundle id>` (rule A1).
extension Scope {
    /// Nil for any other text.
    package init?(claim: String) {
        if claim == "system" {
            self = .system
        } else if claim.hasPrefix("app:"), let app = AppID(String(claim.dropFirst(4))) {
            self = .app(app)
        } else {
            return nil
        }
    }

    package var claim: String { app.map { "app:\($0)" } ?? "system" }
}
