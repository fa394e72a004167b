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

    /// How much room a user must have left for it to be taken (rule Q4).
    public enum Room: Hashable, Sendable {
        /// It is taken while the user has room left.
        case needed
        /// It is taken of a user without room too, because it frees some. As what it names is remembered, known or not,
        /// this ends where the user takes twice the room.
        case freed
        /// It is taken in any case: it changes what is there, or what it adds is bounded by itself.
        case unneeded
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

    public var room: Room

    init(_ author: Author, app: AppField, predicts predicted: RowCollections = [], room: Room = .needed) {
        (self.author, self.app, self.predicted, self.room) = (author, app, predicted, room)
    }
}

extension EventType {
    /// The table of event types.
    public var traits: EventTraits {
        switch self {
        case .appRegistered: EventTraits(.system, app: .required, predicts: [.apps])
        // Consent to marketing is asked for by the app: `EventScope`.
        case .authorizationChanged:
            EventTraits(.system, app: .required, predicts: [.authorizations, .badges], room: .unneeded)
        // A device's Focus event is later than every report that it could hide behind (rule F4).
        case .focusConfigured: EventTraits(.system, app: .absent, predicts: [.focuses, .activeFocus, .focusVisibility])
        case .focusRemoved, .focusChanged:
            EventTraits(
                .system, app: .absent, predicts: [.focuses, .activeFocus, .focusVisibility], room: .unneeded)
        case .focusStatusReported: EventTraits(.apps, app: .required, predicts: [.focusVisibility])
        case .focusExpired: EventTraits(.server, app: .absent)
        case .audienceChanged: EventTraits(.apps, app: .required, predicts: [.audience])
        case .notificationPosted, .notificationActionPerformed:
            EventTraits(.apps, app: .required, predicts: [.notifications, .badges])
        case .notificationRead, .notificationRemoved:
            EventTraits(.apps, app: .required, predicts: [.notifications, .badges], room: .freed)
        case .badgeCleared:
            EventTraits(.apps, app: .required, predicts: [.notifications, .badges], room: .unneeded)
        case .categoriesRegistered: EventTraits(.apps, app: .required, predicts: [.categories])
        case .interactionDonated, .routeStarted, .routeLocationsInserted, .routeFinished:
            EventTraits(.apps, app: .required)
        case .interactionDeleted: EventTraits(.apps, app: .required, room: .freed)
        case .routeDiscarded: EventTraits(.apps, app: .required, room: .unneeded)
        case .workoutSaved: EventTraits(.apps, app: .required, predicts: [.workouts])
        case .notificationSettingsChanged:
            EventTraits(.system, app: .optional, predicts: [.notificationSettings, .badges])
        case .appMuted, .appUnmuted:
            EventTraits(.system, app: .required, predicts: [.notificationSettings], room: .unneeded)
        case .governmentAlertPosted: EventTraits(.system, app: .required, predicts: [.notifications, .badges])
        case .actionHandled: EventTraits(.app, app: .required, predicts: [.waitingActions], room: .freed)
        case .alertsSilencedChanged:
            EventTraits(.system, app: .absent, predicts: [.notificationSettings], room: .unneeded)
        case .deliveryScheduleChanged: EventTraits(.system, app: .absent, predicts: [.deliverySchedule])
        case .summaryDelivered: EventTraits(.server, app: .absent)
        // Defaults show for keys that have no value yet; a value that is there counts as set, as it is not known who
        // gave it. A reset shows what is confirmed.
        case .preferencesRegistered, .preferenceChanged:
            EventTraits(.apps, app: .required, predicts: [.preferences])
        case .preferenceReset: EventTraits(.apps, app: .required, predicts: [.preferences], room: .freed)
        case .deviceRevoked: EventTraits(.system, app: .absent, room: .unneeded)
        case .deviceEventsLost, .eventRefused: EventTraits(.server, app: .optional)
        case .deviceIncarnationBegan, .deviceIncarnationEnded, .projectionRebuilt, .deviceActivity,
            .deviceActivityEnded, .alertRingsElsewhere:
            EventTraits(.server, app: .absent)
        }
    }
}
