@testable import FocusCore

/// A declarative model of the convergent rules: greatest stamps over the whole set of accepted events, nothing
/// incremental.
struct ReferenceModel {
    private(set) var written: [(event: Event, stamp: Stamp)] = []
    private(set) var settingsWritten: [(change: NotificationSettingsChanged, app: AppID?, stamp: Stamp)] = []
    private var greatest: [DeviceID: Timestamp] = [:]

    mutating func add(_ event: Event) {
        if case .eventRefused = event.body { return }
        let isServer = event.device == .server
        let time = isServer ? event.occurredAt : max(event.occurredAt, greatest[event.device] ?? event.occurredAt)
        greatest[event.device] = time
        let stamp = Stamp(time: time, device: event.device, sequence: event.sequence)
        written.append((event, stamp))
        if case .notificationSettingsChanged(let change) = event.body {
            settingsWritten.append((change, event.app, stamp))
        }
    }

    /// The write with the greatest stamp among the events for which `value` is not nil.
    func last<Value>(_ app: AppID? = nil, _ value: (EventBody) -> Value?) -> (
        value: Value, stamp: Stamp, event: Event
    )? {
        written.compactMap { event, stamp in
            guard app == nil || event.app == app, let value = value(event.body) else { return nil }
            return (value, stamp, event)
        }.max { (a: (value: Value, stamp: Stamp, event: Event), b) in a.stamp < b.stamp }
    }

    func registration(_ app: AppID) -> AppRegistered? {
        last(app) { if case .appRegistered(let body) = $0 { body } else { nil } }?.value
    }

    func status(_ kind: AuthorizationKind, _ app: AppID) -> AuthorizationStatus {
        last(app) { body -> AuthorizationStatus? in
            if case .authorizationChanged(let change) = body, change.kind == kind { change.status } else { nil }
        }?.value ?? .notDetermined
    }

    /// The list of an app by rule N7's posts, reads, removals and clears.
    func notifications(_ app: AppID) -> [String: (post: NotificationPosted, unread: Bool)] {
        let clear = last(app) { $0 == .badgeCleared ? true : nil }?.stamp
        var listed: [String: (post: NotificationPosted, unread: Bool)] = [:]
        for number in 0..<6 {
            let id = "n\(number)"
            guard
                let post = last(
                    app,
                    { body -> NotificationPosted? in
                        switch body {
                        case .notificationPosted(let post) where post.notificationID == id: post
                        case .governmentAlertPosted(let alert) where alert.post.notificationID == id: alert.post
                        default: nil
                        }
                    })
            else { continue }
            let read = last(app) {
                $0.marksRead(id) ? true : nil
            }?.stamp
            let removed = last(app) {
                if case .notificationRemoved(let named) = $0, named.ids.contains(id) { true } else { nil }
            }?.stamp
            if let removed, removed > post.stamp { continue }
            if let clear, clear > post.stamp { continue }
            listed[id] = (post.value, read.map { post.stamp > $0 } ?? true)
        }
        return listed
    }

    /// The active Focus by rules F1 and F2.
    func activeFocus() -> FocusConfigured? {
        guard
            let activation = last(
                nil,
                { body -> FocusChanged? in
                    if case .focusChanged(let change) = body, change.isActive { change } else { nil }
                })
        else { return nil }
        guard let configured = standing(activation.value, activation.stamp) else { return nil }
        return hasEnded(activation.value, activation.stamp, activation.event) ? nil : configured
    }

    /// The Focus of an activation; nil if it is not configured or was deactivated or removed since.
    private func standing(_ activation: FocusChanged, _ stamp: Stamp) -> FocusConfigured? {
        let id = activation.focusID
        let removed = last { if case .focusRemoved(let body) = $0, body.focusID == id { true } else { nil } }?.stamp
        let deactivated = last { body -> Bool? in
            if case .focusChanged(let change) = body, change.focusID == id, !change.isActive { true } else { nil }
        }?.stamp
        let configured = last { body -> FocusConfigured? in
            if case .focusConfigured(let focus) = body, focus.focusID == id { focus } else { nil }
        }
        guard let configured, removed.map({ $0 < configured.stamp }) ?? true else { return nil }
        guard [removed, deactivated].compactMap({ $0 }).allSatisfy({ $0 < stamp }) else { return nil }
        return configured.value
    }

    private func hasEnded(_ change: FocusChanged, _ stamp: Stamp, _ event: Event) -> Bool {
        if let end = change.endsAt, end <= event.recordedAt { return true }
        return written.contains {
            if case .focusExpired(let body) = $0.event.body { body.activation == stamp } else { false }
        }
    }

    /// Whether the status is available: rule F3 without F4.
    func isAvailable(_ app: AppID) -> Bool {
        guard let registration = registration(app) else { return false }
        return registration.capabilities.contains(.communication) && status(.notifications, app) == .authorized
            && status(.focusStatus, app) == .authorized && !(registration.focusStatusUsageDescription ?? "").isEmpty
    }

    /// Whether a denial is logged (rule F4).
    private func isDenied(_ app: AppID) -> Bool {
        [.notifications, .focusStatus].contains { kind in
            [.denied, .restricted, .notSupported].contains(status(kind, app))
        }
    }

    /// The app's last report, whatever came after it.
    private func lastReport(_ app: AppID) -> (value: FocusStatusReported, stamp: Stamp)? {
        last(
            app,
            { body -> FocusStatusReported? in
                if case .focusStatusReported(let body) = body { body } else { nil }
            }
        ).map { ($0.value, $0.stamp) }
    }

    /// The app's last report, unless a Focus event is later (rule F4); nil if there is none.
    func report(_ app: AppID) -> Bool? {
        guard let report = lastReport(app) else { return nil }
        let focus = last { body -> Bool? in
            switch body {
            case .focusConfigured, .focusRemoved, .focusChanged: true
            default: nil
            }
        }?.stamp
        if let focus, focus > report.stamp { return nil }
        let activation = last { body -> FocusChanged? in
            if case .focusChanged(let change) = body, change.isActive { change } else { nil }
        }
        if let activation, let end = activation.value.endsAt,
            hasEnded(activation.value, activation.stamp, activation.event),
            standing(activation.value, activation.stamp) != nil, end > report.stamp.time
        {
            return nil
        }
        return report.value.isFocused
    }

    func visibility(_ app: AppID) -> Bool? {
        if isDenied(app) { return nil }
        guard isAvailable(app) else { return lastReport(app)?.value.isFocused }
        if let report = report(app) { return report }
        guard let focus = activeFocus() else { return false }
        return focus.sharesStatus && !focus.allowedApps.contains(app)
    }
}
