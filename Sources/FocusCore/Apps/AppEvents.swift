/// `app.registered`: what an app is and may do. A register (domain.md §1).
public struct AppRegistered: Hashable, Sendable {
    public var name: String
    public var build: Int64
    public var declaredIntents: Set<DeclaredIntent>
    public var capabilities: Set<AppCapability>
    /// Why the app wants to know about Focus; without one rule C1 counts focusStatus as not authorized.
    public var focusStatusUsageDescription: String?

    public init(
        name: String, build: Int64, declaredIntents: Set<DeclaredIntent> = [], capabilities: Set<AppCapability> = [],
        focusStatusUsageDescription: String? = nil
    ) {
        self.name = name
        self.build = build
        self.declaredIntents = declaredIntents
        self.capabilities = capabilities
        self.focusStatusUsageDescription = focusStatusUsageDescription
    }
}

public enum DeclaredIntent: Int32, Hashable, Sendable, CaseIterable {
    case sendMessage = 1
    case startCall
}

public enum AppCapability: Int32, Hashable, Sendable, CaseIterable {
    case pushNotifications = 1
    case communication, timeSensitive, siriKit, critical
}

/// `authorization.changed`: a register for each (app, kind). Everything starts at `notDetermined`.
public struct AuthorizationChanged: Hashable, Sendable {
    public var kind: AuthorizationKind
    public var status: AuthorizationStatus
    public init(kind: AuthorizationKind, status: AuthorizationStatus) {
        self.kind = kind
        self.status = status
    }
}

public enum AuthorizationKind: Int32, Hashable, Sendable, CaseIterable {
    case notifications = 1
    case focusStatus, location, shareWorkouts, shareRoutes, readWorkouts, readRoutes, marketing
}

public enum AuthorizationStatus: Int32, Hashable, Sendable, CaseIterable {
    /// `provisional` is for notifications only; `notSupported` counts as denied.
    case notDetermined = 1
    case denied, authorized, restricted, provisional, notSupported
}
