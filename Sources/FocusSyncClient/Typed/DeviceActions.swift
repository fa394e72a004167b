import FocusCore

/// What was done with an app's notifications, and the app's part in it (rules N1, N12, N20).
public struct DeviceActions: Sendable {
    /// Something that was done with a notification, for the app to take up.
    public struct Waiting: Hashable, Sendable, Identifiable {
        /// The event that performed it.
        public var id: EventID
        public var content: WaitingActionRow

        public init(id: EventID, content: WaitingActionRow) {
            self.id = id
            self.content = content
        }
    }

    let client: SyncClient

    /// Replaces the kinds of notifications that an app posts, and what can be done with them (rule N1).
    @discardableResult
    public func register(_ categories: [NotificationCategory], of app: AppID) async throws -> QueuedEvent {
        try await client.append(.categoriesRegistered(CategoriesRegistered(categories: categories)), app: app)
    }

    /// Performs an action on a notification, which thereby is read (rule N12).
    /// - Parameter text: what was typed, for an action that takes a text.
    @discardableResult
    public func perform(
        _ gesture: NotificationActionPerformed.Gesture, on notificationID: String, of app: AppID, text: String? = nil
    ) async throws -> QueuedEvent {
        let action = NotificationActionPerformed(notificationID: notificationID, gesture: gesture, text: text)
        return try await client.append(.notificationActionPerformed(action), app: app)
    }

    /// Has the app told of actions from now on (rule N20). Once is enough, for ever.
    @discardableResult
    public func begin(for app: AppID) async throws -> QueuedEvent {
        try await client.append(.actionHandled(ActionHandled(id: nil)), app: app)
    }

    /// What waits for the app, in the order of the log (rule N20). Only sessions of the app see it.
    public func waiting(for app: AppID) async throws -> [Waiting] {
        try await client.messages(WaitingActionRow.self, of: .waitingActions, app: app)
            .compactMap { key, row in EventID(text: key).map { Waiting(id: $0, content: row) } }
            .sorted { $0.content.number < $1.content.number }
    }

    /// Takes an action up (rule N20). It is gone here at once. Of several devices of the app the one whose event is
    /// accepted is to act: who waits for that outcome acts at most once, who acts first at least once.
    @discardableResult
    public func handle(_ id: EventID, of app: AppID) async throws -> QueuedEvent {
        try await client.append(.actionHandled(ActionHandled(id: id)), app: app)
    }
}
