import FocusCore

/// A notification in an app's list.
public struct ListedNotification: Hashable, Sendable, Identifiable {
    public var id: String
    public var content: NotificationRow

    public init(id: String, content: NotificationRow) {
        self.id = id
        self.content = content
    }
}

/// Notifications of apps (rules N7, N12, B1 to B3).
public struct DeviceNotifications: Sendable {
    let client: SyncClient

    /// The app's list, newest first.
    public func listed(of app: AppID) async throws -> [ListedNotification] {
        try await client.messages(NotificationRow.self, of: .notifications, app: app)
            .map { ListedNotification(id: $0.key, content: $0.value) }
            .sorted { ($1.content.postedAt, $0.id) < ($0.content.postedAt, $1.id) }
    }

    /// The app's unread notifications, which the badge counts (rule B1), newest first.
    public func unread(of app: AppID) async throws -> [ListedNotification] {
        try await listed(of: app).filter(\.content.unread)
    }

    /// The number on the app's icon, on a device of the client's class; nil: none is shown (rule B2).
    public func badge(of app: AppID) async throws -> Int? {
        try await client.message(BadgeRow.self, at: RowKey(.badges, app: app))?
            .count(on: client.configuration.deviceClass)
    }

    /// Posts a notification; an id that is listed already is posted again (rule N7).
    @discardableResult
    public func post(_ notification: NotificationPosted, to app: AppID) async throws -> QueuedEvent {
        try await client.append(.notificationPosted(notification), app: app)
    }

    /// Marks notifications as read; they stay in the list (rule N7).
    @discardableResult
    public func markRead(_ ids: [String], of app: AppID) async throws -> QueuedEvent {
        try await client.append(.notificationRead(NotificationIDs(ids: ids)), app: app)
    }

    /// Removes notifications from the list (rule N7).
    @discardableResult
    public func remove(_ ids: [String], of app: AppID) async throws -> QueuedEvent {
        try await client.append(.notificationRemoved(NotificationIDs(ids: ids)), app: app)
    }

    /// Sets the badge to zero and empties the list (rule B3).
    @discardableResult
    public func clearBadge(of app: AppID) async throws -> QueuedEvent {
        try await client.append(.badgeCleared, app: app)
    }
}
