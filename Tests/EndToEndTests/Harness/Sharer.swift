import FocusCore
import Support

/// A user who shares a Focus status with some others, from one device.
final class Sharer {
    let user: UserID
    private let client: WireClient
    private let apps: [String]
    private var next: Int64 = 1

    /// Sets up the user, who is not focused yet.
    init(_ server: TestServer, apps: [String], with viewers: Set<UserID>, user: UserID = .random()) async throws {
        self.user = user
        self.apps = apps
        client = try await WireClient.open(server, user: user).client
        var events: [Envelope] = [
            .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work", sharesStatus: true)))
        ]
        for app in apps {
            let registration = AppRegistered(
                name: app, build: 1, capabilities: [.communication], focusStatusUsageDescription: "To tell others.")
            events.append(.of(.appRegistered(registration), app: app))
            for kind in [AuthorizationKind.notifications, .focusStatus] {
                events.append(
                    .of(.authorizationChanged(AuthorizationChanged(kind: kind, status: .authorized)), app: app))
            }
            events.append(.of(.audienceChanged(AudienceChanged(add: viewers)), app: app))
        }
        try await say(events)
    }

    static func focus(_ isActive: Bool) -> Envelope {
        .of(.focusChanged(FocusChanged(focusID: "work", isActive: isActive)))
    }

    func add(_ viewer: UserID) -> [Envelope] {
        apps.map { .of(.audienceChanged(AudienceChanged(add: [viewer])), app: $0) }
    }

    func remove(_ viewer: UserID) -> [Envelope] {
        apps.map { .of(.audienceChanged(AudienceChanged(remove: [viewer])), app: $0) }
    }

    /// Appends events; returns when they are durable.
    func say(_ envelopes: [Envelope]) async throws {
        try await client.append(from: next, envelopes)
        next += Int64(envelopes.count)
        var through = DeviceSequence.zero
        while through < DeviceSequence(next - 1) {
            let appended = try await client.appended()
            guard appended.refused.isEmpty else { throw WireError.unexpected("refused: \(appended.refused)") }
            through = appended.throughSequence
        }
    }
}

extension WireClient {
    /// The next statuses.
    func statuses() async throws -> PeerStatuses {
        try await first { if case .peerStatuses(let statuses) = $0 { statuses } else { nil } }
    }
}
