import FocusCore
internal import SwiftProtobuf

/// Rows for people: the bytes of a row as proto3 JSON.
public enum RowJSON {
    /// The row as one line of JSON. Equal bytes give equal text; fields that this program does not know are left out.
    /// Throws when `value` is not the collection's message, and for collections that are never sent.
    public static func json(_ collection: RowCollection, _ value: [UInt8]) throws(PayloadError) -> String {
        guard let type = collection.message else {
            throw .malformed("Rows of \(collection.rawValue) are internal and have no message.")
        }
        let message: any SwiftProtobuf.Message
        do {
            message = try type.init(serializedBytes: value, options: .lenient)
        } catch {
            throw .malformed("The row is not the protobuf message of \(collection.rawValue).")
        }
        return try PayloadCodec.json(message, of: collection.rawValue)
    }
}

extension RowCollection {
    /// The generated message of the collection's values; nil for internal collections.
    var message: (any SwiftProtobuf.Message.Type)? {
        switch self {
        case .apps: Focus_Sync_V1_AppRow.self
        case .authorizations: Focus_Sync_V1_AuthorizationRow.self
        case .focuses: Focus_Sync_V1_FocusRow.self
        case .activeFocus: Focus_Sync_V1_ActiveFocusRow.self
        case .focusVisibility: Focus_Sync_V1_FocusVisibilityRow.self
        case .audience: Focus_Sync_V1_AudienceRow.self
        case .notifications: Focus_Sync_V1_NotificationRow.self
        case .alerts: Focus_Sync_V1_AlertRow.self
        case .badges: Focus_Sync_V1_BadgeRow.self
        case .routes: Focus_Sync_V1_RouteRow.self
        case .categories: Focus_Sync_V1_CategoriesRow.self
        case .actions: Focus_Sync_V1_ActionRow.self
        case .waitingActions: Focus_Sync_V1_WaitingActionRow.self
        case .suggestions: Focus_Sync_V1_SuggestionRow.self
        case .workouts: Focus_Sync_V1_WorkoutRow.self
        case .routeTotals: Focus_Sync_V1_RouteTotalRow.self
        case .refusals: Focus_Sync_V1_RefusalRow.self
        case .classAlerts: Focus_Sync_V1_AlertRow.self
        case .notificationSettings: Focus_Sync_V1_NotificationSettingsRow.self
        case .deliverySchedule: Focus_Sync_V1_DeliveryScheduleRow.self
        case .preferences: Focus_Sync_V1_PreferenceRow.self
        case .stream, .appStreams, .devices, .incarnations, .placePages, .interactions, .routePoints,
            .preferenceDefaults, .deviceActivity:
            nil
        }
    }
}
