/// Somebody whom an app knows (domain.md §0).
public struct Person: Hashable, Sendable {
    /// What the app calls them by: opaque, 1–256 bytes. The same text in another app is taken for the same person.
    public var handle: String
    /// What people call them; without one the handle is shown (rule N5).
    public var displayName: String?
    /// Names an image; opaque to the server.
    public var avatar: String?

    public init(handle: String, displayName: String? = nil, avatar: String? = nil) {
        self.handle = handle
        self.displayName = displayName
        self.avatar = avatar
    }

    /// Rule N5: the display name, or the handle when there is none.
    var shownName: String {
        guard let displayName, !displayName.isEmpty else { return handle }
        return displayName
    }
}
