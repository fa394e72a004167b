extension EventType {
    /// The collections whose rows a device may change by itself when it appends such an event, because the fold needs
    /// nothing for them that a device does not have.
    ///
    /// Other rows stay as they were confirmed until the server sends them: alerts, their classes and resolved actions
    /// (decided once, by the server: rule E6), suggestions (counted from donations, which are not sent), routes and
    /// their totals (made of points, which are not sent), and what an event also changes where that needs reports,
    /// registered defaults or the senders of communications.
    public var predicted: Set<RowCollection> {
        switch self {
        case .appRegistered: [.apps]
        case .authorizationChanged: [.authorizations, .badges]
        // A device's Focus event is later than every report that it could hide behind (rule F4).
        case .focusConfigured, .focusRemoved, .focusChanged: [.focuses, .activeFocus, .focusVisibility]
        case .focusStatusReported: [.focusVisibility]
        case .audienceChanged: [.audience]
        case .notificationPosted, .notificationRead, .notificationRemoved, .badgeCleared,
            .notificationActionPerformed:
            [.notifications, .badges]
        case .categoriesRegistered: [.categories]
        case .workoutSaved: [.workouts]
        case .notificationSettingsChanged: [.notificationSettings, .badges]
        case .appMuted, .appUnmuted: [.notificationSettings]
        case .deliveryScheduleChanged: [.deliverySchedule]
        // Defaults show for keys that have no value yet; a value that is there counts as set, as it is not known who
        // gave it.
        case .preferencesRegistered: [.preferences]
        // A reset shows what is confirmed.
        case .preferenceChanged, .preferenceReset: [.preferences]
        case .interactionDonated, .interactionDeleted, .routeStarted, .routeLocationsInserted, .routeFinished,
            .routeDiscarded, .focusExpired, .summaryDelivered, .deviceRevoked, .eventRefused, .deviceEventsLost,
            .deviceIncarnationBegan, .deviceIncarnationEnded, .projectionRebuilt:
            []
        }
    }
}

extension RowCollection {
    /// The collections that must be in the view too for a prediction of this one.
    var predictionNeeds: Set<RowCollection> {
        switch self {
        case .notifications: [.apps, .categories]
        case .badges: [.notifications, .apps, .categories, .authorizations, .notificationSettings]
        case .activeFocus: [.focuses]
        case .focusVisibility: [.focuses, .activeFocus, .apps, .authorizations]
        case .notificationSettings: [.apps]
        case .apps, .authorizations, .focuses, .audience, .alerts, .classAlerts, .categories, .actions, .suggestions,
            .deliverySchedule, .routes, .workouts, .preferences, .routeTotals, .refusals, .stream, .devices,
            .incarnations, .placePages, .interactions, .routePoints, .preferenceDefaults:
            []
        }
    }

    /// Whether its rows alone are enough to fold on.
    var isFoldedOn: Bool {
        switch self {
        case .apps, .authorizations, .focuses, .activeFocus, .focusVisibility, .audience, .notifications, .badges,
            .categories, .notificationSettings, .deliverySchedule, .workouts, .preferences:
            true
        case .alerts, .classAlerts, .actions, .suggestions, .routes, .routeTotals, .refusals, .stream, .devices,
            .incarnations, .placePages, .interactions, .routePoints, .preferenceDefaults:
            false
        }
    }
}
