import FocusCore

/// The user's Focuses (rules F1 to F4). Only system sessions may append these events, except `report`.
public struct DeviceFocus: Sendable {
    let client: SyncClient

    /// Activates a Focus, which deactivates the one that was active (rule F1).
    /// - Parameter end: when it ends by itself (rule F2); nil: it does not.
    @discardableResult
    public func setActive(_ focusID: String, until end: Timestamp? = nil) async throws -> QueuedEvent {
        try await client.append(.focusChanged(FocusChanged(focusID: focusID, isActive: true, endsAt: end)))
    }

    /// Deactivates a Focus; changes nothing if it is not active (rule F1).
    @discardableResult
    public func setInactive(_ focusID: String) async throws -> QueuedEvent {
        try await client.append(.focusChanged(FocusChanged(focusID: focusID, isActive: false)))
    }

    /// Sets a Focus up, or changes how it is set up.
    @discardableResult
    public func configure(_ focus: FocusConfigured) async throws -> QueuedEvent {
        try await client.append(.focusConfigured(focus))
    }

    /// Removes a Focus, which also deactivates it (rule F1).
    @discardableResult
    public func remove(_ focusID: String) async throws -> QueuedEvent {
        try await client.append(.focusRemoved(FocusRemoved(focusID: focusID)))
    }

    /// Reports what the operating system told the app about its user's Focus (rule F4); nil withdraws the report.
    @discardableResult
    public func report(isFocused: Bool?, to app: AppID) async throws -> QueuedEvent {
        try await client.append(.focusStatusReported(FocusStatusReported(isFocused: isFocused)), app: app)
    }

    /// The active Focus; nil: none is active. A Focus whose end has passed is not active, whether or not the server has
    /// already said so.
    public func active(at now: Timestamp = .now) async throws -> ActiveFocusRow? {
        guard let row = try await client.message(ActiveFocusRow.self, at: RowKey(.activeFocus)) else { return nil }
        if let end = row.endsAt, end <= now { return nil }
        return row
    }

    /// The configured Focuses, by their ids.
    public func all() async throws -> [String: FocusRow] {
        try await client.messages(FocusRow.self, of: .focuses, app: nil)
    }

    /// The status as the app sees it (rule F3); nil: unavailable.
    public func isFocused(seenFrom app: AppID) async throws -> Bool? {
        try await client.message(FocusVisibilityRow.self, at: RowKey(.focusVisibility, app: app))?.isFocused
    }
}
