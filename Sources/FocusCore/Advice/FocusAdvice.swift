/// What a user's history says about the allow lists of their Focuses: whom one held whose alerts were wanted, and whom
/// one let through who was ignored.
///
/// Flow: the user's events in their order → `apply` → each alert that a Focus held or let through is open until it is
/// known what became of it → `finish` → a count for each change of an allow list. Alerts are those of the phone. Nothing
/// is written anywhere.
public struct FocusAdvice: Sendable {
    /// An alert that is opened so soon after it was released was waited for.
    static let promptMicroseconds: Int64 = 60_000_000
    /// One that is still unread so long after its post is ignored.
    static let ignoredMicroseconds: Int64 = 86_400_000_000
    /// What is time sensitive promises to matter within so long (rule N3).
    static let promisedMicroseconds: Int64 = 3_600_000_000
    /// Alerts that are open at once; of more the oldest are not counted.
    static let openLimit = 10_000

    /// An alert of which it is not known yet what becomes of it.
    private struct Open {
        /// The changes that would have made it come out otherwise.
        var changes: [FocusChange] = []
        var wasHeld = false
        /// Whether it was decided as time sensitive.
        var isPromise = false
        var postedAt: Timestamp
        /// When the Focus let it go.
        var releasedAt: Timestamp?
        var version: Version
    }

    private var state: UserState
    private var open: [RowKey: Open] = [:]
    /// The open alerts in the order of their posts, and some that are settled.
    private var order: [(key: RowKey, version: Version)] = []
    private var counts: [FocusChange: FocusAdviceCount] = [:]
    private var names: [String: String] = [:]
    /// The time-sensitive notifications of each app.
    public private(set) var promises: [AppID: FocusAdvicePromises] = [:]

    public init(_ user: UserID) { state = UserState(user: user) }

    public var events: Int { Int(clamping: state.version.rawValue) }

    /// Folds the next event. Throws what `UserState.apply` throws.
    public mutating func apply(_ event: Event) throws(FoldError) {
        let keys = try state.apply(event)
        let focus = shownFocus(keys)
        settle(keys, event)
        if focus { release(at: event.occurredAt) }
        if let key = event.postedAlert, !event.isHealed { posted(key, event) }
        expire(event.occurredAt)
    }

    /// What each change would have done, most wanted first. Changes that the allow lists have by now are left out, and
    /// Focuses that are gone.
    public func finish() -> [FocusAdviceLine] {
        counts.filter { change, _ in isOpen(change) }.map { change, count in
            FocusAdviceLine(change: change, name: name(of: change), focusName: focusName(change.focusID), count: count)
        }.filter { $0.gain > 0 }.sorted { ($1.gain, $0.change) < ($0.gain, $1.change) }
    }

    // MARK: Posts

    private mutating func posted(_ key: RowKey, _ event: Event) {
        guard let app = key.app, let post = state.record(of: app)?.list[ByteText(key.key)].post,
            let decision = state.alert(key.key, app, .phone)?.decision
        else { return }
        if let sender = post.sender { names[sender] = senderName(key) }
        var alert = Open(postedAt: event.occurredAt, version: event.version)
        alert.isPromise = post.level == .timeSensitive
        if alert.isPromise {
            promises[app, default: FocusAdvicePromises()].posts += 1
            if decision.alert == .now { promises[app]?.rang += 1 }
        }
        if let focus = state.shared.focus.effective {
            alert.wasHeld = decision.alert == .heldByFocus
            alert.changes = Self.subjects(of: decision, post, app).map {
                FocusChange(subject: $0, focusID: focus.focusID, allows: alert.wasHeld)
            }
        }
        guard alert.isPromise || !alert.changes.isEmpty else { return }
        for change in alert.changes { counts[change, default: FocusAdviceCount()].alerts += 1 }
        open[key] = alert
        order.append((key, event.version))
    }

    /// Whom the allow lists would have to name for the alert to come out otherwise; or not to name.
    private static func subjects(
        of decision: AlertDecision, _ post: NotificationPost, _ app: AppID
    ) -> [FocusChange.Subject] {
        let sender = post.sender.map { [FocusChange.Subject.person($0)] } ?? []
        switch (decision.alert, decision.reason) {
        case (.heldByFocus, _):
            // Allow lists do not apply to marketing (rule N4).
            let named = post.isMarketing ? [] : [.app(app)] + sender
            return named + (post.level == .timeSensitive ? [.timeSensitive] : [])
        case (.now, .allowedApp): return [.app(app)]
        case (.now, .allowedPerson): return sender
        case (.now, .timeSensitive): return [.timeSensitive]
        default: return []
        }
    }

    private func senderName(_ key: RowKey) -> String? {
        let row = state.row(RowKey(.notifications, app: key.app, key: key.key))
        return row.flatMap { try? NotificationRow(decoding: $0.value) }?.title
    }

    // MARK: What becomes of them

    /// Counts those that the event read, acted on, removed or replaced.
    private mutating func settle(_ keys: [RowKey], _ event: Event) {
        guard !open.isEmpty else { return }
        let touched = keys.filter { $0.collection == .notifications }
        for row in touched {
            let key = RowKey(.alerts, app: row.app, key: row.key)
            guard let alert = open[key], let app = row.app else { continue }
            let record = state.record(of: app)?.list[ByteText(row.key)]
            if record?.isListed != true {
                close(key, wasWanted: false, wasIgnored: true)
            } else if record?.isUnread == false {
                if alert.isPromise,
                    event.occurredAt.microseconds(since: alert.postedAt) <= Self.promisedMicroseconds
                {
                    promises[app]?.opened += 1
                }
                close(key, wasWanted: wasWanted(alert, openedAt: event.occurredAt), wasIgnored: false)
            } else if event.postedAlert == key {
                close(key, wasWanted: false, wasIgnored: false)
            }
        }
    }

    /// An alert that was held was wanted if it was opened while it was, or as soon as it was not; one that rang, if it
    /// was opened at all.
    private func wasWanted(_ alert: Open, openedAt: Timestamp) -> Bool {
        guard alert.wasHeld, let released = alert.releasedAt else { return true }
        return openedAt.microseconds(since: released) <= Self.promptMicroseconds
    }

    private mutating func close(_ key: RowKey, wasWanted: Bool, wasIgnored: Bool) {
        guard let alert = open.removeValue(forKey: key) else { return }
        for change in alert.changes {
            if wasWanted { counts[change]?.wanted += 1 }
            if wasIgnored { counts[change]?.ignored += 1 }
        }
    }

    private func shownFocus(_ keys: [RowKey]) -> Bool {
        keys.contains { $0.collection == .activeFocus || $0.collection == .focuses }
    }

    private mutating func release(at time: Timestamp) {
        for (key, alert) in open where alert.wasHeld && alert.releasedAt == nil {
            guard let app = key.app, state.alert(key.key, app, .phone)?.decision.alert != .heldByFocus else { continue }
            open[key]?.releasedAt = time
        }
    }

    private mutating func expire(_ now: Timestamp) {
        var count = 0
        for (key, version) in order {
            let alert = open[key].flatMap { $0.version == version ? $0 : nil }
            if let alert {
                let isOld = now.microseconds(since: alert.postedAt) > Self.ignoredMicroseconds
                guard isOld || open.count > Self.openLimit else { break }
                close(key, wasWanted: false, wasIgnored: isOld)
            }
            count += 1
        }
        order.removeFirst(count)
    }

    // MARK: Names

    /// Whether the change is one still.
    private func isOpen(_ change: FocusChange) -> Bool {
        guard let focus = state.shared.focus.entries[ByteText(change.focusID)]?.configured else { return false }
        let isAllowed =
            switch change.subject {
            case .app(let app): focus.allowedApps.contains(app)
            case .person(let handle): focus.allows(handle)
            case .timeSensitive: focus.allowsTimeSensitive
            }
        return isAllowed != change.allows
    }

    private func focusName(_ id: String) -> String {
        state.shared.focus.entries[ByteText(id)]?.configured?.name ?? id
    }

    private func name(of change: FocusChange) -> String {
        switch change.subject {
        case .app(let app): app.rawValue
        case .person(let handle): names[handle] ?? handle
        case .timeSensitive: "time sensitive"
        }
    }
}

extension Event {
    /// The alert's row of the notification that the event posts.
    fileprivate var postedAlert: RowKey? {
        switch body {
        case .notificationPosted(let post): RowKey(.alerts, app: app, key: post.notificationID)
        case .governmentAlertPosted(let alert): RowKey(.alerts, app: app, key: alert.post.notificationID)
        default: nil
        }
    }
}
