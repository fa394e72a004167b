/// What an app may show of the user's Focus (rules F3.1, F4).
enum FocusAccess: Hashable, Sendable {
    /// Whether a Focus is on for it.
    case authorized
    /// What the operating system told it, and nothing that Focus events say: not even that there was one.
    case reported
    /// Nothing: somebody said no, and the log has it.
    case denied
}

extension AuthorizationStatus {
    /// Whether somebody, or the device, said no.
    var isDenial: Bool {
        switch self {
        case .denied, .restricted, .notSupported: true
        case .notDetermined, .authorized, .provisional: false
        }
    }
}
