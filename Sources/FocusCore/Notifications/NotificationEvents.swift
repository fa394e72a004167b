/// `notification.posted` (domain.md §4).
public struct NotificationPosted: Hashable, Sendable {
    public var notificationID: String
    public var category: String?
    public var thread: String?
    public var title: String?
    public var subtitle: String?
    public var body: String
    public var level: InterruptionLevel
    /// 0…1; orders the summary.
    public var relevance: Double
    public var marketing: Bool
    /// Names a donated interaction: then this is a communication notification (rule N5).
    public var interactionID: String?
    public var eventAt: Timestamp?
    public var sound: String?

    public init(
        notificationID: String, category: String? = nil, thread: String? = nil, title: String? = nil,
        subtitle: String? = nil,
        body: String, level: InterruptionLevel = .active, relevance: Double = 0, marketing: Bool = false,
        interactionID: String? = nil, eventAt: Timestamp? = nil, sound: String? = nil
    ) {
        self.notificationID = notificationID
        self.category = category
        self.thread = thread
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.level = level
        self.relevance = relevance
        self.marketing = marketing
        self.interactionID = interactionID
        self.eventAt = eventAt
        self.sound = sound
    }
}

/// `governmentAlert.posted` (rule N17): a notification that silence lets through. It is decided like any other else.
public struct GovernmentAlertPosted: Hashable, Sendable {
    /// Neither marketing nor a communication.
    public var post: NotificationPosted
    public init(_ post: NotificationPosted) { self.post = post }
}

/// How much a notification may interrupt (rule N8; HIG *Managing notifications*).
public enum InterruptionLevel: Int32, Hashable, Sendable, CaseIterable, Comparable {
    case passive = 1
    case active, timeSensitive, critical
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// `notification.read` and `notification.removed`: which of the app's notifications.
public struct NotificationIDs: Hashable, Sendable {
    public var ids: [String]
    public init(ids: [String]) { self.ids = ids }
}
