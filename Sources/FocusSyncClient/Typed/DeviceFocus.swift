import FocusCore

/// The person's Focuses (rules F1 to F4). Writing is for system sessions, except `report`.
public struct DeviceFocus: Sendable {
    let client: SyncClient

    /// Puts a Focus on; whichever was on before is off then (rule F1).
    /// - Parameter end: when it ends by itself (rule F2).
    @discardableResult
    public func setActive(_ focusID: String, until end: Timestamp? = nil) async throws -> QueuedEvent {
        try await client.append(.focusChanged(FocusChanged(focusID: focusID, isActive: true, endsAt: end)))
    }

    /// Puts it off; changes nothing if it is not on.
    @discardableResult
    public func setInactive(_ focusID: String) async throws -> QueuedEvent {
        try await client.append(.focusChanged(FocusChanged(focusID: focusID, isActive: false)))
    }

    @discardableResult
    public func configure(_ focus: FocusConfigured) async throws -> QueuedEvent {
        try await client.append(.focusConfigured(focus))
    }

    @discardableResult
    public func remove(_ focusID: String) async throws -> QueuedEvent {
        try await client.append(.focusRemoved(FocusRemoved(focusID: focusID)))
    }

    /// What the operating system told the app (rule F4); nil withdraws it.
    @discardableResult
    public func report(isFocused: Bool?, to app: AppID) async throws -> QueuedEvent {
        try await client.append(.focusStatusReported(FocusStatusReported(isFocused: isFocused)), app: app)
    }

    /// The Focus that is on; nil: none. One whose end has passed is not, whether the server said so already or not.
    public func active(at now: Timestamp = .now) async throws -> ActiveFocusRow? {
        guard let row = try await client.message(ActiveFocusRow.self, at: RowKey(.activeFocus)) else { return nil }
        if let end = row.endsAt, end <= now { return nil }
        return row
    }

    /// Configured Focuses by their ids.
    public func all() async throws -> [String: FocusRow] {
        try await client.messages(FocusRow.self, of: .focuses, app: nil)
    }

    /// The status as the app sees it (rule F3); nil: unavailable.
    public func isFocused(seenFrom app: AppID) async throws -> Bool? {
        try await client.message(FocusVisibilityRow.self, at: RowKey(.focusVisibility, app: app))?.isFocused
    }
}
