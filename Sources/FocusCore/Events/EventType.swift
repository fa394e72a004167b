/// Every kind of event that the log holds. The raw value is its name in the log, on the wire and in the catalogue.
public enum EventType: String, Hashable, Sendable, CaseIterable {
    case appRegistered = "app.registered"
    case authorizationChanged = "authorization.changed"
    case focusConfigured = "focus.configured"
    case focusRemoved = "focus.removed"
    case focusChanged = "focus.changed"
    case focusStatusReported = "focus.statusReported"
    case focusExpired = "focus.expired"
    case audienceChanged = "audience.changed"
    case notificationPosted = "notification.posted"
    case notificationRead = "notification.read"
    case notificationRemoved = "notification.removed"
    case interactionDonated = "interaction.donated"
    case interactionDeleted = "interaction.deleted"
    case categoriesRegistered = "categories.registered"
    case notificationActionPerformed = "notification.actionPerformed"
    case badgeCleared = "badge.cleared"
    case routeStarted = "route.started"
    case routeLocationsInserted = "route.locationsInserted"
    case workoutSaved = "workout.saved"
    case routeFinished = "route.finished"
    case routeDiscarded = "route.discarded"
    case notificationSettingsChanged = "notificationSettings.changed"
    case appMuted = "app.muted"
    case appUnmuted = "app.unmuted"
    case deliveryScheduleChanged = "deliverySchedule.changed"
    case summaryDelivered = "summary.delivered"
    case preferencesRegistered = "preferences.registered"
    case preferenceChanged = "preference.changed"
    case preferenceReset = "preference.reset"
    case deviceRevoked = "device.revoked"
    case deviceIncarnationBegan = "device.incarnationBegan"
    case deviceIncarnationEnded = "device.incarnationEnded"
    case eventRefused = "event.refused"
    case deviceEventsLost = "device.eventsLost"
    case projectionRebuilt = "projection.rebuilt"
    case alertsSilencedChanged = "alertsSilenced.changed"
    case governmentAlertPosted = "governmentAlert.posted"
    case actionHandled = "action.handled"
    case deviceActivity = "device.activity"
    case deviceActivityEnded = "device.activityEnded"
    case alertRingsElsewhere = "alert.ringsElsewhere"

    /// The types, found by the length of their names.
    private static let ofLength: [[EventType]] = {
        let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0
        return (0...longest).map { length in allCases.filter { $0.rawValue.utf8.count == length } }
    }()

    /// The type of this name; nil when there is none. Few names have the same length: an initialiser that the compiler
    /// makes compares with one name after the other.
    public init?(rawValue: String) {
        let length = rawValue.utf8.count
        guard length < Self.ofLength.count, let type = Self.ofLength[length].first(where: { $0.rawValue == rawValue })
        else { return nil }
        self = type
    }
}
