import FocusCore

/// What notifications may do (rules N15 to N17). For system sessions: an app does not unmute itself.
public struct DeviceSettings: Sendable {
    let client: SyncClient

    /// Changes settings; what the change leaves out stays.
    /// - Parameter app: nil: of all apps for which nothing else was set.
    @discardableResult
    public func change(_ change: NotificationSettingsChanged, of app: AppID?) async throws -> QueuedEvent {
        try await client.append(.notificationSettingsChanged(change), app: app)
    }

    /// What holds for an app, or where nothing was set for one; nil: the defaults of `NotificationSettings`.
    public func settings(of app: AppID?) async throws -> NotificationSettingsRow? {
        try await client.message(NotificationSettingsRow.self, at: RowKey(.notificationSettings, app: app))
    }

    /// Nothing that the app posts before `end` rings, but for what is critical (rule N16).
    @discardableResult
    public func mute(_ app: AppID, until end: Timestamp) async throws -> QueuedEvent {
        try await client.append(.appMuted(AppMuted(until: end)), app: app)
    }

    @discardableResult
    public func unmute(_ app: AppID) async throws -> QueuedEvent { try await client.append(.appUnmuted, app: app) }

    /// Silences all apps, or none any more (rule N17).
    @discardableResult
    public func silenceAll(_ isSilenced: Bool) async throws -> QueuedEvent {
        try await client.append(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: isSilenced)))
    }

    /// Whether all apps are silenced.
    public var isSilenced: Bool { get async throws { try await settings(of: nil)?.isSilenced ?? false } }
}
