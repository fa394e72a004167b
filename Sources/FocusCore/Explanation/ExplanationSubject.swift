/// What somebody asks "why?" about.
public enum ExplanationSubject: Hashable, Sendable {
    /// The alert of a notification on a class of device (rules N7, N9, N10, N15).
    case notification(String, AppID, DeviceClass)
    /// The user's status as an app sees it (rules F3, F4).
    case focusVisibility(AppID)
    /// The number on an app's icon on a class of device (rules B1 to B3).
    case badge(AppID, DeviceClass)
    /// The effective value of a preference (rule D1).
    case preference(String, AppID)

    public var app: AppID {
        switch self {
        case .notification(_, let app, _), .focusVisibility(let app), .badge(let app, _), .preference(_, let app): app
        }
    }

    /// The rows that the decision itself stands in.
    var ownKeys: [RowKey] {
        switch self {
        case .notification(let id, let app, let deviceClass):
            let shared = [RowKey(.notifications, app: app, key: id), RowKey(.alerts, app: app, key: id)]
            return deviceClass == .phone ? shared : shared + [ClassAlertKey(deviceClass, ByteText(id)).rowKey(app)]
        case .focusVisibility(let app): return [RowKey(.focusVisibility, app: app)]
        case .badge(let app, _): return [RowKey(.badges, app: app)]
        case .preference(let key, let app): return [RowKey(.preferences, app: app, key: key)]
        }
    }

    /// Whether a row may be one that the decision rests on; which rows do is known once the decision is made.
    func mayRestOn(_ key: RowKey) -> Bool {
        switch (self, key.collection) {
        case (.notification, .activeFocus), (.notification, .focuses), (.notification, .deliverySchedule),
            (.notification, .deviceActivity),
            (.focusVisibility, .activeFocus), (.focusVisibility, .focuses):
            true
        case (.notification, .notificationSettings), (.badge, .notificationSettings): key.app == nil || key.app == app
        case (.notification, .apps), (.notification, .authorizations),
            (.focusVisibility, .apps), (.focusVisibility, .authorizations),
            (.badge, .apps), (.badge, .authorizations), (.badge, .notifications),
            (.preference, .preferenceDefaults):
            key.app == app
        case (.notification, _), (.focusVisibility, _), (.badge, _), (.preference, _): false
        }
    }

    /// Whether the event names the subject, whatever it changes.
    func isNamed(by event: Event) -> Bool {
        guard event.app == app else { return false }
        switch (self, event.body) {
        case (.notification(let id, _, _), .notificationPosted(let body)): return body.notificationID == id
        case (.notification(let id, _, _), .governmentAlertPosted(let body)): return body.post.notificationID == id
        case (.notification(let id, _, _), .notificationRead(let body)): return body.ids.contains(id)
        case (.notification(let id, _, _), .notificationRemoved(let body)): return body.ids.contains(id)
        case (.notification(let id, _, _), .notificationActionPerformed(let body)): return body.notificationID == id
        case (.focusVisibility, .focusStatusReported): return true
        case (.preference(let key, _), .preferenceChanged(let body)): return body.key == key
        case (.preference(let key, _), .preferenceReset(let body)): return body.key == key
        case (.notification, _), (.focusVisibility, _), (.badge, _), (.preference, _): return false
        }
    }
}
