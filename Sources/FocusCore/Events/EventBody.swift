/// What an event says, decoded. One case for each `EventType`.
///
/// It is indirect because it is handed on a dozen times between a frame and the log: a copy touches one reference
/// count instead of one for each text of the case, and moves a word instead of the fields of the largest one.
public indirect enum EventBody: Hashable, Sendable {
    case appRegistered(AppRegistered)
    case authorizationChanged(AuthorizationChanged)
    case focusConfigured(FocusConfigured)
    case focusRemoved(FocusRemoved)
    case focusChanged(FocusChanged)
    case focusStatusReported(FocusStatusReported)
    case focusExpired(FocusExpired)
    case audienceChanged(AudienceChanged)
    case notificationPosted(NotificationPosted)
    case notificationRead(NotificationIDs)
    case notificationRemoved(NotificationIDs)
    case interactionDonated(InteractionDonated)
    case interactionDeleted(InteractionDeleted)
    case categoriesRegistered(CategoriesRegistered)
    case notificationActionPerformed(NotificationActionPerformed)
    case badgeCleared
    case routeStarted(RouteStarted)
    case routeLocationsInserted(RouteLocationsInserted)
    case workoutSaved(WorkoutSaved)
    case routeFinished(RouteFinished)
    case routeDiscarded(RouteDiscarded)
    case notificationSettingsChanged(NotificationSettingsChanged)
    case appMuted(AppMuted)
    case appUnmuted
    case deliveryScheduleChanged(DeliveryScheduleChanged)
    case summaryDelivered(SummaryDelivered)
    case preferencesRegistered(PreferencesRegistered)
    case preferenceChanged(PreferenceChanged)
    case preferenceReset(PreferenceReset)
    case deviceRevoked(DeviceRevoked)
    case deviceIncarnationBegan(DeviceIncarnationBegan)
    case deviceIncarnationEnded(DeviceIncarnationEnded)
    case eventRefused(EventRefused)
    case deviceEventsLost(DeviceEventsLost)
    case projectionRebuilt(ProjectionRebuilt)
    case alertsSilencedChanged(AlertsSilencedChanged)
    case governmentAlertPosted(GovernmentAlertPosted)
    case actionHandled(ActionHandled)
    case deviceActivity(DeviceActivity)
    case deviceActivityEnded(DeviceActivityEnded)
    case alertRingsElsewhere(AlertRingsElsewhere)

    public var type: EventType {
        switch self {
        case .appRegistered: .appRegistered
        case .authorizationChanged: .authorizationChanged
        case .focusConfigured: .focusConfigured
        case .focusRemoved: .focusRemoved
        case .focusChanged: .focusChanged
        case .focusStatusReported: .focusStatusReported
        case .focusExpired: .focusExpired
        case .audienceChanged: .audienceChanged
        case .notificationPosted: .notificationPosted
        case .notificationRead: .notificationRead
        case .notificationRemoved: .notificationRemoved
        case .interactionDonated: .interactionDonated
        case .interactionDeleted: .interactionDeleted
        case .categoriesRegistered: .categoriesRegistered
        case .notificationActionPerformed: .notificationActionPerformed
        case .badgeCleared: .badgeCleared
        case .routeStarted: .routeStarted
        case .routeLocationsInserted: .routeLocationsInserted
        case .workoutSaved: .workoutSaved
        case .routeFinished: .routeFinished
        case .routeDiscarded: .routeDiscarded
        case .notificationSettingsChanged: .notificationSettingsChanged
        case .appMuted: .appMuted
        case .appUnmuted: .appUnmuted
        case .deliveryScheduleChanged: .deliveryScheduleChanged
        case .summaryDelivered: .summaryDelivered
        case .preferencesRegistered: .preferencesRegistered
        case .preferenceChanged: .preferenceChanged
        case .preferenceReset: .preferenceReset
        case .deviceRevoked: .deviceRevoked
        case .deviceIncarnationBegan: .deviceIncarnationBegan
        case .deviceIncarnationEnded: .deviceIncarnationEnded
        case .eventRefused: .eventRefused
        case .deviceEventsLost: .deviceEventsLost
        case .projectionRebuilt: .projectionRebuilt
        case .alertsSilencedChanged: .alertsSilencedChanged
        case .governmentAlertPosted: .governmentAlertPosted
        case .actionHandled: .actionHandled
        case .deviceActivity: .deviceActivity
        case .deviceActivityEnded: .deviceActivityEnded
        case .alertRingsElsewhere: .alertRingsElsewhere
        }
    }
}
