/// What should have been different in a history that is replayed: "what if this app had been allowed?"
///
/// Every change is one of inputs (what events say), so the fold stays the only one that decides.
public struct WhatIfRule: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        /// The app is, or is not, among the allowed ones of the Focus; a `focus` of nil means every Focus.
        case app(AppID, isAllowed: Bool, focus: String?)
        /// The person, by handle, is, or is not, among the allowed ones of the Focus.
        case person(String, isAllowed: Bool, focus: String?)
        /// Whether the Focus lets time-sensitive notifications through.
        case timeSensitive(isAllowed: Bool, focus: String?)
        /// A notification setting of the app, on the phone and wherever a class has its own; an `app` of nil means
        /// every app.
        case setting(Setting, isOn: Bool, app: AppID?)
        /// Whether all apps are silenced, from beginning to end (rule N17).
        case silence(isOn: Bool)
        /// Whether the person agrees to marketing of the app (rules N4, N9.0), from beginning to end; an `app` of nil
        /// means every app.
        case consent(isGiven: Bool, app: AppID?)
        /// Another limit for rule R2, in metres.
        case routeAccuracy(Double)
    }

    public enum Setting: String, Hashable, Sendable, CaseIterable {
        case alerts, badges
        case timeSensitive = "time-sensitive"
        case scheduledDelivery = "scheduled-delivery"
    }

    public var changes: [Change]

    public init(_ changes: [Change]) { self.changes = changes }

    /// The event as it would have been. Its place in the stream is the same.
    func changed(_ event: Event) -> Event {
        var event = event
        for change in changes { event.body = change.changed(event.body, of: event.app) }
        return event
    }

    /// What would have been set for an app when it was registered.
    func openings(of app: AppID) -> [EventBody] {
        var settings = NotificationSettingsChanged()
        var bodies: [EventBody] = []
        for change in changes {
            switch change {
            case .setting(let setting, let isOn, let named) where named == nil || named == app:
                settings.set(setting, isOn ? .on : .off)
            case .consent(let isGiven, let named) where named == nil || named == app:
                let status: AuthorizationStatus = isGiven ? .authorized : .denied
                bodies.append(.authorizationChanged(AuthorizationChanged(kind: .marketing, status: status)))
            case .setting, .consent, .app, .person, .timeSensitive, .silence, .routeAccuracy: break
            }
        }
        if settings != NotificationSettingsChanged() { bodies.append(.notificationSettingsChanged(settings)) }
        return bodies
    }

    /// What would have been set for the user before the first of their apps was registered.
    var openingsOfUser: [EventBody] {
        changes.compactMap { change in
            guard case .silence(let isOn) = change else { return nil }
            return .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: isOn))
        }
    }
}

extension WhatIfRule.Change {
    fileprivate func changed(_ body: EventBody, of app: AppID?) -> EventBody {
        switch (self, body) {
        case (.app(let app, let isAllowed, let focus), .focusConfigured(var body))
        where Self.names(focus, body.focusID):
            if isAllowed { body.allowedApps.insert(app) } else { body.allowedApps.remove(app) }
            return .focusConfigured(body)
        case (.person(let person, let isAllowed, let focus), .focusConfigured(var body))
        where Self.names(focus, body.focusID):
            let person = ByteText(person)
            if isAllowed { body.allowedPeople.insert(person) } else { body.allowedPeople.remove(person) }
            return .focusConfigured(body)
        case (.timeSensitive(let isAllowed, let focus), .focusConfigured(var body))
        where Self.names(focus, body.focusID):
            body.allowsTimeSensitive = isAllowed
            return .focusConfigured(body)
        case (.setting(let setting, let isOn, let named), .notificationSettingsChanged(var body))
        where app != nil && (named == nil || named == app):
            // A field that the event leaves unchanged stays so.
            if body.choice(setting) != nil { body.set(setting, isOn ? .on : .off) }
            return .notificationSettingsChanged(body)
        case (.silence(let isOn), .alertsSilencedChanged):
            return .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: isOn))
        case (.consent(let isGiven, let named), .authorizationChanged(var body))
        where body.kind == .marketing && (named == nil || named == app):
            body.status = isGiven ? .authorized : .denied
            return .authorizationChanged(body)
        case (.routeAccuracy(let limit), .routeLocationsInserted(var body)):
            for index in body.points.indices {
                body.points[index].horizontalAccuracy = Self.scaled(body.points[index].horizontalAccuracy, limit)
            }
            return .routeLocationsInserted(body)
        case (.app, _), (.person, _), (.timeSensitive, _), (.setting, _), (.silence, _), (.consent, _),
            (.routeAccuracy, _):
            return body
        }
    }

    private static func names(_ focus: String?, _ id: String) -> Bool {
        focus.map { ByteText.equal($0, id) } ?? true
    }

    /// An accuracy for which rule R2's limit decides as `limit` would for the real one. All are scaled alike, so rule
    /// R3's choice among points of one moment stays as well.
    private static func scaled(_ accuracy: Double, _ limit: Double) -> Double {
        let rule = RouteFilter.maximumHorizontalAccuracy
        guard accuracy.isFinite, accuracy >= 0 else { return accuracy }
        let scaled = accuracy * (rule / limit)
        return accuracy <= limit ? min(scaled, rule) : max(scaled, rule.nextUp)
    }
}

extension NotificationSettingsChanged {
    fileprivate mutating func set(_ setting: WhatIfRule.Setting, _ choice: SwitchChoice) {
        switch setting {
        case .alerts: alerts = choice
        case .badges: badges = choice
        case .timeSensitive: timeSensitive = choice
        case .scheduledDelivery: scheduledDelivery = choice
        }
    }

    fileprivate func choice(_ setting: WhatIfRule.Setting) -> SwitchChoice? {
        switch setting {
        case .alerts: alerts
        case .badges: badges
        case .timeSensitive: timeSensitive
        case .scheduledDelivery: scheduledDelivery
        }
    }
}
