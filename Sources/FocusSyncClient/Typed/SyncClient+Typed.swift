import FocusCore

/// The domain in a developer's words. Each property is a small value over `append` and `rows(of:)`: what it writes is
/// durable on the device when the call returns, what it reads is what the device shows.
extension SyncClient {
    /// The user's Focuses.
    public nonisolated var focus: DeviceFocus { DeviceFocus(client: self) }
    /// Notifications of the user's apps.
    public nonisolated var notifications: DeviceNotifications { DeviceNotifications(client: self) }
    /// What is done with notifications, and waits for their apps.
    public nonisolated var actions: DeviceActions { DeviceActions(client: self) }
    /// Calls and messages: donations, suggestions, audiences.
    public nonisolated var communication: DeviceCommunication { DeviceCommunication(client: self) }
    /// What notifications may do.
    public nonisolated var settings: DeviceSettings { DeviceSettings(client: self) }
    /// The preferences of the app that the token is for.
    public nonisolated var preferences: AppPreferences { AppPreferences(client: self, app: scopeApp) }
    /// The preferences of any app; for system sessions.
    public nonisolated func preferences(of app: AppID) -> AppPreferences { AppPreferences(client: self, app: app) }
    /// The routes of the app that the token is for.
    public nonisolated var route: AppRoutes { AppRoutes(client: self, app: scopeApp) }
    /// The routes of any app; for system sessions.
    public nonisolated func route(of app: AppID) -> AppRoutes { AppRoutes(client: self, app: app) }

    /// The app of the token's scope; nil in a system session.
    nonisolated var scopeApp: AppID? { owner.scope.app }

    /// The rows of a collection, by key, without those of a later server, which this library cannot read.
    func messages<Row: RowMessage>(_: Row.Type, of collection: RowCollection, app: AppID?) throws -> [String: Row] {
        var messages: [String: Row] = [:]
        for row in try rows(of: collection) where row.key.app == app {
            if let value = row.value, let message = try? Row(decoding: value) { messages[row.key.key] = message }
        }
        return messages
    }

    func message<Row: RowMessage>(_: Row.Type, at key: RowKey) throws -> Row? {
        guard let value = try row(key)?.value else { return nil }
        return try? Row(decoding: value)
    }
}
