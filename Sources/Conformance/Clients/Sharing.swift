import FocusCore

/// A user who shares their Focus status in one app with some others, and is not focused at first (rule F5).
struct Sharing {
    static let app = "chat"
    static let appID = AppID("chat")

    let user: UserID
    private let live: Live

    /// - Parameters:
    ///   - viewers: the users in the app's audience.
    ///   - isPermitted: whether the user lets the app know the status.
    ///   - toSecond: whether the user's device connects to the second server.
    static func begin(
        _ context: CaseContext, with viewers: Set<UserID>, isPermitted: Bool = true, toSecond: Bool = false
    ) async throws -> Sharing {
        let device = Device.ofNewUser()
        let live = try await context.open(device, toSecond: toSecond)
        let registration = AppRegistered(
            name: "Chat", build: 1, capabilities: [.communication], focusStatusUsageDescription: "To tell others.")
        try await live.appendAccepted([
            .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work", sharesStatus: true))),
            .of(.appRegistered(registration), app: app),
            .of(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
            .of(
                .authorizationChanged(
                    AuthorizationChanged(kind: .focusStatus, status: isPermitted ? .authorized : .denied)), app: app),
            .of(.audienceChanged(AudienceChanged(add: viewers)), app: app),
        ])
        return Sharing(user: device.user, live: live)
    }

    /// Turns the Focus on or off. This and the methods below return when their event is durable.
    func focus(_ isActive: Bool) async throws {
        try await live.appendAccepted([.of(.focusChanged(FocusChanged(focusID: "work", isActive: isActive)))])
    }

    func say(_ body: EventBody, app: String? = nil) async throws {
        try await live.appendAccepted([.of(body, app: app)])
    }

    func append(_ envelopes: [Envelope]) async throws { try await live.appendAccepted(envelopes) }

    func add(_ viewer: UserID) async throws {
        try await live.appendAccepted([.of(.audienceChanged(AudienceChanged(add: [viewer])), app: Self.app)])
    }

    func remove(_ viewer: UserID) async throws {
        try await live.appendAccepted([.of(.audienceChanged(AudienceChanged(remove: [viewer])), app: Self.app)])
    }

    /// Disconnects the user's device.
    func end() async { await live.connection.close() }
}
