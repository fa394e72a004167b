/// Questions to an app's history with one user: does it notify as the guidelines ask it to?
///
/// Flow: the user's events in their order → `apply` → findings about that event → `finish` → what only the whole history
/// shows. Nothing is decided by it and nothing written. What the log refused is not asked about: it never came out.
/// Source: Apple's Human Interface Guidelines, *Notifications* and *Managing notifications*.
public struct AppLint: Sendable {
    /// Within so long the same content under another id counts as the same thing again.
    static let repeatMicroseconds: Int64 = 86_400_000_000
    /// So many contents are remembered at most; of more the oldest are forgotten.
    static let contentLimit = 1_000
    /// A badge of at least so much that has not fallen for so long never falls.
    static let badgeCount = 20
    static let badgeMicroseconds: Int64 = 30 * 86_400_000_000
    /// An event further ahead is not of the moment (rule N3).
    static let hourMicroseconds: Int64 = 3_600_000_000

    private struct Content: Hashable {
        var title: String?
        var subtitle: String?
        var body: String
    }

    private struct Seen {
        var notification: String
        var event: EventID
        var occurredAt: Timestamp
    }

    private let app: AppID
    private var name: String?
    private var seen: [Content: Seen] = [:]
    /// The contents in the order in which they were last posted, old ones more than once.
    private var order: [(content: Content, at: Timestamp)] = []
    /// The notifications that were posted since something was read, removed or cleared, up to `badgeCount`, and when the
    /// first of them was.
    private var unread: (ids: Set<ByteText>, since: Timestamp)?
    private var longest: LintFinding?

    public init(_ app: AppID) { self.app = app }

    /// - Parameter event: the next one of the user's stream, of any app.
    public mutating func apply(_ event: Event) -> [LintFinding] {
        guard event.app == app, !event.isHealed else { return [] }
        switch event.body {
        case .appRegistered(let registration):
            name = registration.name
            return []
        case .notificationPosted(let post): return posted(post, event)
        case .governmentAlertPosted(let alert): return posted(alert.post, event)
        case .categoriesRegistered(let registered): return registered.categories.flatMap { ask($0, event) }
        case .notificationRead, .notificationRemoved, .notificationActionPerformed, .badgeCleared:
            unread = nil
            return []
        default: return []
        }
    }

    /// What only the whole history shows.
    public func finish() -> [LintFinding] { longest.map { [$0] } ?? [] }

    // MARK: Posts

    private mutating func posted(_ post: NotificationPosted, _ event: Event) -> [LintFinding] {
        var findings: [LintFinding] = []
        func find(_ question: LintQuestion, earlier: EventID? = nil) {
            findings.append(LintFinding(question, event, about: post.notificationID, earlier: earlier))
        }
        if let first = repeated(post, event) { find(.sameContentAgain, earlier: first) }
        if let title = post.title, repeatsName(title) { find(.nameInTitle) }
        // A communication is decided as active whatever its level (rule N5), and has its sender.
        if post.level == .timeSensitive, post.interactionID == nil {
            if let eventAt = post.eventAt {
                if eventAt.microseconds(since: event.occurredAt) > Self.hourMicroseconds { find(.timeSensitiveTooEarly) }
            } else {
                find(.timeSensitiveWithoutTime)
            }
        }
        count(post, event)
        return findings
    }

    /// The event that posted the same content under another id a short while before; nil when none did.
    private mutating func repeated(_ post: NotificationPosted, _ event: Event) -> EventID? {
        let content = Content(title: post.title, subtitle: post.subtitle, body: post.body)
        defer {
            seen[content] = Seen(
                notification: post.notificationID, event: event.id, occurredAt: event.occurredAt)
            order.append((content, event.occurredAt))
            forget()
        }
        guard let before = seen[content], !ByteText.equal(before.notification, post.notificationID),
            event.occurredAt.microseconds(since: before.occurredAt) <= Self.repeatMicroseconds
        else { return nil }
        return before.event
    }

    var rememberedContents: Int { seen.count }

    private mutating func forget() {
        guard order.count > 2 * Self.contentLimit else { return }
        for (content, time) in order.dropLast(Self.contentLimit) where seen[content]?.occurredAt == time {
            seen[content] = nil
        }
        order.removeFirst(order.count - Self.contentLimit)
    }

    /// Counts what gathers on the badge.
    private mutating func count(_ post: NotificationPosted, _ event: Event) {
        let since = unread?.since ?? event.occurredAt
        var ids = unread?.ids ?? []
        unread = nil
        if ids.count < Self.badgeCount { ids.insert(ByteText(post.notificationID)) }
        unread = (ids, since)
        guard ids.count == Self.badgeCount, event.occurredAt.microseconds(since: since) >= Self.badgeMicroseconds
        else { return }
        longest = LintFinding(.badgeNeverFalls, event, about: post.notificationID)
    }

    private func repeatsName(_ text: String) -> Bool {
        guard let name, !name.isEmpty else { return false }
        return text.lowercased() == name.lowercased() || text.lowercased().hasPrefix(name.lowercased() + ":")
    }

    // MARK: Categories

    private func ask(_ category: NotificationCategory, _ event: Event) -> [LintFinding] {
        var findings: [LintFinding] = []
        if category.hiddenPreviewsPlaceholder?.isEmpty ?? true {
            findings.append(LintFinding(.noPlaceholder, event, about: category.id))
        }
        if let first = category.actions.first, first.destructive, category.actions.count > 1 {
            findings.append(LintFinding(.destructiveFirst, event, about: "\(category.id)/\(first.id)"))
        }
        for action in category.actions where containsName(action.title) {
            findings.append(LintFinding(.nameInAction, event, about: "\(category.id)/\(action.id)"))
        }
        return findings
    }

    private func containsName(_ title: String) -> Bool {
        guard let name, !name.isEmpty else { return false }
        return " \(title.lowercased()) ".contains(" \(name.lowercased()) ")
    }
}
