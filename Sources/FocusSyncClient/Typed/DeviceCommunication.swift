import FocusCore

/// Calls and messages of an app: who they are with (rules I1 to I4), what a Focus makes of that (rule N5), and who may
/// know of the Focus (rule F5).
public struct DeviceCommunication: Sendable {
    let client: SyncClient

    /// Tells of a message or a call, outgoing or incoming. A notification about it follows the donation.
    @discardableResult
    public func donate(_ interaction: InteractionDonated, of app: AppID) async throws -> QueuedEvent {
        try await client.append(.interactionDonated(interaction), app: app)
    }

    /// Takes interactions back (rule I4).
    @discardableResult
    public func delete(_ interactions: InteractionDeleted, of app: AppID) async throws -> QueuedEvent {
        try await client.append(.interactionDeleted(interactions), app: app)
    }

    /// Donates an incoming interaction and posts the notification about it, whose title, subtitle and avatar are the
    /// sender's (rule N5).
    /// - Returns: the notification's event; the donation stands before it.
    @discardableResult
    public func post(
        _ notification: NotificationPosted, about interaction: InteractionDonated, to app: AppID
    ) async throws -> QueuedEvent {
        try await donate(interaction, of: app)
        var notification = notification
        notification.interactionID = interaction.interactionID
        return try await client.append(.notificationPosted(notification), app: app)
    }

    /// People to suggest for breaking through a Focus, best first (rule I3).
    /// - Parameter app: nil: over all apps, for system sessions.
    public func suggestions(of app: AppID?) async throws -> [(person: String, row: SuggestionRow)] {
        try await client.messages(SuggestionRow.self, of: .suggestions, app: app).map { ($0.key, $0.value) }
            .sorted { ($1.row.score, $0.person) < ($0.row.score, $1.person) }
    }

    /// Lets users of the app see this user's status, and others not any more (rule F5).
    @discardableResult
    public func share(
        with added: Set<UserID>, notWith removed: Set<UserID> = [], in app: AppID
    ) async throws -> QueuedEvent {
        try await client.append(.audienceChanged(AudienceChanged(add: added, remove: removed)), app: app)
    }
}
