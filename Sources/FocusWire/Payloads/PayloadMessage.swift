import FocusCore
internal import SwiftProtobuf

/// A generated message that is the payload of one event type. Both directions stand side by side in an extension, so
/// that a field added to one is not forgotten in the other.
protocol PayloadMessage: SwiftProtobuf.Message {
    /// What the message says; throws when a field has a value that `EventBody` cannot hold.
    func eventBody() throws(PayloadError) -> EventBody
}

extension EventType {
    /// The generated message of the type's payload.
    var message: any PayloadMessage.Type {
        switch self {
        case .appRegistered: Focus_Events_V1_AppRegistered.self
        case .authorizationChanged: Focus_Events_V1_AuthorizationChanged.self
        case .focusConfigured: Focus_Events_V1_FocusConfigured.self
        case .focusRemoved: Focus_Events_V1_FocusRemoved.self
        case .focusChanged: Focus_Events_V1_FocusChanged.self
        case .focusStatusReported: Focus_Events_V1_FocusStatusReported.self
        case .focusExpired: Focus_Events_V1_FocusExpired.self
        case .audienceChanged: Focus_Events_V1_AudienceChanged.self
        case .notificationPosted: Focus_Events_V1_NotificationPosted.self
        case .notificationRead: Focus_Events_V1_NotificationRead.self
        case .notificationRemoved: Focus_Events_V1_NotificationRemoved.self
        case .interactionDonated: Focus_Events_V1_InteractionDonated.self
        case .interactionDeleted: Focus_Events_V1_InteractionDeleted.self
        case .categoriesRegistered: Focus_Events_V1_CategoriesRegistered.self
        case .notificationActionPerformed: Focus_Events_V1_NotificationActionPerformed.self
        case .badgeCleared: Focus_Events_V1_BadgeCleared.self
        case .routeStarted: Focus_Events_V1_RouteStarted.self
        case .routeLocationsInserted: Focus_Events_V1_RouteLocationsInserted.self
        case .workoutSaved: Focus_Events_V1_WorkoutSaved.self
        case .routeFinished: Focus_Events_V1_RouteFinished.self
        case .routeDiscarded: Focus_Events_V1_RouteDiscarded.self
        case .notificationSettingsChanged: Focus_Events_V1_NotificationSettingsChanged.self
        case .appMuted: Focus_Events_V1_AppMuted.self
        case .appUnmuted: Focus_Events_V1_AppUnmuted.self
        case .deliveryScheduleChanged: Focus_Events_V1_DeliveryScheduleChanged.self
        case .summaryDelivered: Focus_Events_V1_SummaryDelivered.self
        case .preferencesRegistered: Focus_Events_V1_PreferencesRegistered.self
        case .preferenceChanged: Focus_Events_V1_PreferenceChanged.self
        case .preferenceReset: Focus_Events_V1_PreferenceReset.self
        case .deviceRevoked: Focus_Events_V1_DeviceRevoked.self
        case .deviceIncarnationBegan: Focus_Events_V1_DeviceIncarnationBegan.self
        case .deviceIncarnationEnded: Focus_Events_V1_DeviceIncarnationEnded.self
        case .eventRefused: Focus_Events_V1_EventRefused.self
        case .deviceEventsLost: Focus_Events_V1_DeviceEventsLost.self
        case .projectionRebuilt: Focus_Events_V1_ProjectionRebuilt.self
        case .alertsSilencedChanged: Focus_Events_V1_AlertsSilencedChanged.self
        case .governmentAlertPosted: Focus_Events_V1_GovernmentAlertPosted.self
        case .actionHandled: Focus_Events_V1_ActionHandled.self
        case .deviceActivity: Focus_Events_V1_DeviceActivity.self
        case .deviceActivityEnded: Focus_Events_V1_DeviceActivityEnded.self
        case .alertRingsElsewhere: Focus_Events_V1_AlertRingsElsewhere.self
        }
    }
}

extension EventBody {
    /// The generated message that says the same.
    var message: any PayloadMessage {
        switch self {
        case .appRegistered(let event): Focus_Events_V1_AppRegistered(event)
        case .authorizationChanged(let event): Focus_Events_V1_AuthorizationChanged(event)
        case .focusConfigured(let event): Focus_Events_V1_FocusConfigured(event)
        case .focusRemoved(let event): Focus_Events_V1_FocusRemoved(event)
        case .focusChanged(let event): Focus_Events_V1_FocusChanged(event)
        case .focusStatusReported(let event): Focus_Events_V1_FocusStatusReported(event)
        case .focusExpired(let event): Focus_Events_V1_FocusExpired(event)
        case .audienceChanged(let event): Focus_Events_V1_AudienceChanged(event)
        case .notificationPosted(let event): Focus_Events_V1_NotificationPosted(event)
        case .notificationRead(let event): Focus_Events_V1_NotificationRead(event)
        case .notificationRemoved(let event): Focus_Events_V1_NotificationRemoved(event)
        case .interactionDonated(let event): Focus_Events_V1_InteractionDonated(event)
        case .interactionDeleted(let event): Focus_Events_V1_InteractionDeleted(event)
        case .categoriesRegistered(let event): Focus_Events_V1_CategoriesRegistered(event)
        case .notificationActionPerformed(let event): Focus_Events_V1_NotificationActionPerformed(event)
        case .badgeCleared: Focus_Events_V1_BadgeCleared()
        case .routeStarted(let event): Focus_Events_V1_RouteStarted(event)
        case .routeLocationsInserted(let event): Focus_Events_V1_RouteLocationsInserted(event)
        case .workoutSaved(let event): Focus_Events_V1_WorkoutSaved(event)
        case .routeFinished(let event): Focus_Events_V1_RouteFinished(event)
        case .routeDiscarded(let event): Focus_Events_V1_RouteDiscarded(event)
        case .notificationSettingsChanged(let event): Focus_Events_V1_NotificationSettingsChanged(event)
        case .appMuted(let event): Focus_Events_V1_AppMuted(event)
        case .appUnmuted: Focus_Events_V1_AppUnmuted()
        case .deliveryScheduleChanged(let event): Focus_Events_V1_DeliveryScheduleChanged(event)
        case .summaryDelivered(let event): Focus_Events_V1_SummaryDelivered(event)
        case .preferencesRegistered(let event): Focus_Events_V1_PreferencesRegistered(event)
        case .preferenceChanged(let event): Focus_Events_V1_PreferenceChanged(event)
        case .preferenceReset(let event): Focus_Events_V1_PreferenceReset(event)
        case .deviceRevoked(let event): Focus_Events_V1_DeviceRevoked(event)
        case .deviceIncarnationBegan(let event): Focus_Events_V1_DeviceIncarnationBegan(event)
        case .deviceIncarnationEnded(let event): Focus_Events_V1_DeviceIncarnationEnded(event)
        case .eventRefused(let event): Focus_Events_V1_EventRefused(event)
        case .deviceEventsLost(let event): Focus_Events_V1_DeviceEventsLost(event)
        case .projectionRebuilt(let event): Focus_Events_V1_ProjectionRebuilt(event)
        case .alertsSilencedChanged(let event): Focus_Events_V1_AlertsSilencedChanged(event)
        case .governmentAlertPosted(let event): Focus_Events_V1_GovernmentAlertPosted(event)
        case .actionHandled(let event): Focus_Events_V1_ActionHandled(event)
        case .deviceActivity(let event): Focus_Events_V1_DeviceActivity(event)
        case .deviceActivityEnded(let event): Focus_Events_V1_DeviceActivityEnded(event)
        case .alertRingsElsewhere(let event): Focus_Events_V1_AlertRingsElsewhere(event)
        }
    }
}

/// An enum of `FocusCore` whose raw values are the numbers of its protobuf twin (tests compare them, case by case).
extension RawRepresentable where RawValue == Int32 {
    /// The case of a protobuf number.
    init(number: Int, field: String) throws(PayloadError) {
        guard let rawValue = Int32(exactly: number), let value = Self(rawValue: rawValue) else {
            throw .malformed(number == 0 ? "\(field) is missing." : "\(field) has the unknown number \(number).")
        }
        self = value
    }
}

extension SwiftProtobuf.Enum {
    /// The protobuf twin of an enum's raw value.
    init(number: Int32) {
        // proto3 enums hold any number (as UNRECOGNIZED), so the generated initializer never gives nil.
        guard let value = Self(rawValue: Int(number)) else { preconditionFailure("an open enum refused \(number)") }
        self = value
    }
}
