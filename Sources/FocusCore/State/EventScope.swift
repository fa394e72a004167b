/// What a session may append (domain.md §0, rule A4). Decided before anything else is looked at, so that an answer says
/// nothing about another app.
enum EventScope {
    static func refusal(_ event: Event, _ scope: Scope) -> Refusal? {
        // The server's own events: no client's token names the nil device.
        if event.device == .server { return nil }
        switch scope {
        case .system:
            return isServersOwn(event.body) ? Refusal(.forbidden, "only the server appends this type") : nil
        case .app(let app):
            guard event.app == app else {
                return Refusal(.forbidden, "a session of an app appends only events of that app")
            }
            guard isOpenToApps(event.body) else { return Refusal(.forbidden, "only a system session may append this") }
            return nil
        }
    }

    private static func isServersOwn(_ body: EventBody) -> Bool {
        switch body {
        case .focusExpired, .eventRefused, .deviceEventsLost, .projectionRebuilt: true
        case .deviceIncarnationBegan, .deviceIncarnationEnded: true
        case .summaryDelivered: true
        case .deviceRevoked: false
        case .notificationSettingsChanged, .appMuted, .appUnmuted, .deliveryScheduleChanged: false
        case .appRegistered, .authorizationChanged, .focusConfigured, .focusRemoved, .focusChanged,
            .focusStatusReported,
            .audienceChanged, .notificationPosted, .notificationRead, .notificationRemoved, .badgeCleared,
            .interactionDonated, .interactionDeleted, .categoriesRegistered, .notificationActionPerformed,
            .routeStarted,
            .routeLocationsInserted, .workoutSaved, .routeFinished, .routeDiscarded,
            .preferencesRegistered, .preferenceChanged, .preferenceReset:
            false
        }
    }

    /// An app must not authorize or unmute itself; consent to marketing is asked for by the app.
    private static func isOpenToApps(_ body: EventBody) -> Bool {
        switch body {
        case .authorizationChanged(let change): change.kind == .marketing
        case .focusStatusReported, .audienceChanged, .notificationPosted, .notificationRead, .notificationRemoved,
            .interactionDonated, .interactionDeleted, .categoriesRegistered, .notificationActionPerformed,
            .badgeCleared, .routeStarted, .routeLocationsInserted, .workoutSaved, .routeFinished, .routeDiscarded,
            .preferencesRegistered, .preferenceChanged, .preferenceReset:
            true
        case .appRegistered, .focusConfigured, .focusRemoved, .focusChanged, .focusExpired, .eventRefused: false
        case .deviceRevoked, .projectionRebuilt: false
        case .notificationSettingsChanged, .appMuted, .appUnmuted, .deliveryScheduleChanged, .summaryDelivered: false
        case .deviceIncarnationBegan, .deviceIncarnationEnded, .deviceEventsLost: false
        }
    }
}
