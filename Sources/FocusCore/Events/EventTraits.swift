/// What is fixed for a type of event, whatever an event of it says. The comments of `Schema/proto` say the same of its
/// message, and a test holds the two together.
public struct EventTraits: Hashable, Sendable {
    /// Whose sessions may append it (rule A4, and "Scopes" in the domain's rules).
    public enum Author: Hashable, Sendable {
        /// Those of the event's app, and those of the system.
        case apps
        /// Those of the event's app, and no others.
        case app
        case system
        /// Nobody's: it is the server's own.
        case server
    }

    /// What its envelope says of an app.
    public enum AppField: Hashable, Sendable {
        case required
        /// It is of the user.
        case absent
        /// Without an app it is of all apps; or the server, which makes it, says of whose.
        case optional
    }

    public var author: Author
    public var app: AppField
    /// The collections whose rows a device may change by itself when it appends such an event, because the fold needs
    /// nothing for them that a device does not have.
    ///
    /// Other rows stay as they were confirmed until the server sends them: alerts, their classes and resolved actions
    /// (decided once, by the server: rule E6), suggestions (counted from donations, which are not sent), routes and
    /// their totals (made of points, which are not sent), and what an event also changes where that needs reports,
    /// registered defaults or the senders of communications.
    public var predicted: RowCollections

    /// Whether it is taken of a user who has no room left (rule Q4): it frees some, or changes what is there.
    public var needsNoRoom: Bool

    init(_ author: Author, app: AppField, predicts predicted: RowCollections = [], needsNoRoom: Bool = false) {
        (self.author, self.app, self.predicted) = (author, app, predicted)
        self.needsNoRoom = needsNoRoom
    }
}

extension EventType {
    /// The table of event types.
    public var traits: EventTraits {
        switch self {
        case .appRegistered: EventTraits(.system, app: .required, predicts: [.apps])
        // Consent to marketing is asked for by the app: `EventScope`.
        case .authorizationChanged:
            EventTraits(.system, app: .required, predicts: [.authorizations, .badges], needsNoRoom: true)
        // A device's Focus event is later than every report that it could hide behind (rule F4).
        case .focusConfigured: EventTraits(.system, app: .absent, predicts: [.focuses, .activeFocus, .focusVisibility])
        case .focusRemoved, .focusChanged:
            EventTraits(
                .system, app: .absent, predicts: [.focuses, .activeFocus, .focusVisibility], needsNoRoom: true)
        case .focusStatusReported: EventTraits(.apps, app: .required, predicts: [.focusVisibility])
        case .focusExpired: EventTraits(.server, app: .absent)
        case .audienceChanged: EventTraits(.apps, app: .required, predicts: [.audience])
        case .notificationPosted, .notificationActionPerformed:
            EventTraits(.apps, app: .required, predicts: [.notifications, .badges])
        case .notificationRead, .notificationRemoved, .badgeCleared:
            EventTraits(.apps, app: .required, predicts: [.notifications, .badges], needsNoRoom: true)
        case .categoriesRegistered: EventTraits(.apps, app: .required, predicts: [.categories])
        case .interactionDonated, .routeStarted, .routeLocationsInserted, .routeFinished:
            EventTraits(.apps, app: .required)
        case .interactionDeleted, .routeDiscarded: EventTraits(.apps, app: .required, needsNoRoom: true)
        case .workoutSaved: EventTraits(.apps, app: .required, predicts: [.workouts])
        case .notificationSettingsChanged:
            EventTraits(.system, app: .optional, predicts: [.notificationSettings, .badges])
        case .appMuted, .appUnmuted:
            EventTraits(.system, app: .required, predicts: [.notificationSettings], needsNoRoom: true)
        case .governmentAlertPosted: EventTraits(.system, app: .required, predicts: [.notifications, .badges])
        case .actionHandled: EventTraits(.app, app: .required, predicts: [.waitingActions], needsNoRoom: true)
        case .alertsSilencedChanged:
            EventTraits(.system, app: .absent, predicts: [.notificationSettings], needsNoRoom: true)
        case .deliveryScheduleChanged: EventTraits(.system, app: .absent, predicts: [.deliverySchedule])
        case .summaryDelivered: EventTraits(.server, app: .absent)
        // Defaults show for keys that have no value yet; a value that is there counts as set, as it is not known who
        // gave it. A reset shows what is confirmed.
        case .preferencesRegistered, .preferenceChanged:
            EventTraits(.apps, app: .required, predicts: [.preferences])
        case .preferenceReset: EventTraits(.apps, app: .required, predicts: [.preferences], needsNoRoom: true)
        case .deviceRevoked: EventTraits(.system, app: .absent, needsNoRoom: true)
        case .deviceEventsLost, .eventRefused: EventTraits(.server, app: .optional)
        case .deviceIncarnationBegan, .deviceIncarnationEnded, .projectionRebuilt, .deviceActivity,
            .deviceActivityEnded, .alertRingsElsewhere:
            EventTraits(.server, app: .absent)
        }
    }
}
