/// What one viewer was told of one user, and when there is more to tell (rules V1, V2, V4).
///
/// Flow: `asked` or `changed` → at `deadline`: `update` with what may be seen then → statuses to send, perhaps none. What
/// happened in between is never looked at: a status that waits is decided anew when its time comes.
public struct PeerFeed: Hashable, Sendable {
    /// The time in which at most one change is sent (rule V4).
    public static let changeMilliseconds: Int64 = 250
    private static let atOnce = MonotonicTime(milliseconds: .min / 2)

    /// What the viewer was told last; nil when it was told nothing since it asked.
    private var shown: [AppID: Bool]?
    private var sentAt = atOnce
    private var isDue = false

    public init() {}

    /// When to call `update`; nil until something changes.
    public var deadline: MonotonicTime? {
        guard isDue else { return nil }
        return shown == nil ? Self.atOnce : sentAt.adding(milliseconds: Self.changeMilliseconds)
    }

    /// The viewer wants to know, perhaps again: it gets the current status at once (rule V1).
    public mutating func asked() {
        shown = nil
        isDue = true
    }

    /// Something happened to the user that may show.
    public mutating func changed() { isDue = true }

    /// What to tell now that the viewer may see this much.
    public mutating func update(
        _ visible: [AppID: Bool], of user: UserID, to viewer: Viewer, now: MonotonicTime
    ) -> [PeerStatus] {
        isDue = false
        let before = shown
        shown = visible
        let statuses: [PeerStatus]
        if let before {
            let apps = Set(before.keys).union(visible.keys).filter { before[$0] != visible[$0] }
            statuses = apps.sorted().map { PeerStatus(user: user, app: $0, isFocused: visible[$0]) }
        } else {
            statuses = Self.current(visible, of: user, to: viewer)
        }
        if !statuses.isEmpty { sentAt = now }
        return statuses
    }

    /// Whether the viewer was told of any app that it may see.
    public var hasShownSomething: Bool { shown?.isEmpty == false }

    /// Whether this is what the viewer was told.
    public func hasShown(_ visible: [AppID: Bool]) -> Bool { shown == visible }

    /// What was told and still holds, to be told again before it ends (rule V3). Unavailable statuses need no renewal.
    public func renewal(of user: UserID) -> [PeerStatus] {
        (shown ?? [:]).sorted { $0.key < $1.key }.map { PeerStatus(user: user, app: $0.key, isFocused: $0.value) }
    }

    private static func current(_ visible: [AppID: Bool], of user: UserID, to viewer: Viewer) -> [PeerStatus] {
        let statuses = visible.sorted { $0.key < $1.key }
            .map { PeerStatus(user: user, app: $0.key, isFocused: $0.value) }
        let nothing = PeerStatus(user: user, app: viewer.scope.app, isFocused: nil)
        switch viewer.scope {
        case .app: return statuses.isEmpty ? [nothing] : statuses
        // The viewer may hold statuses of other apps, from an earlier connection or an earlier answer on this one: only
        // what follows is available (rule V2).
        case .system: return [nothing] + statuses
        }
    }
}
