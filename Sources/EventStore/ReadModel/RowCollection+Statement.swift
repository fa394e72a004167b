import FocusCore
import PostgresClient

extension RowCollection {
    /// Puts rows of this collection into its table.
    var upsert: Statement {
        switch self {
        case .apps: Queries.upsertApps
        case .authorizations: Queries.upsertAuthorizations
        case .focuses: Queries.upsertFocuses
        case .activeFocus: Queries.upsertActiveFocus
        case .focusVisibility: Queries.upsertFocusVisibility
        case .audience: Queries.upsertAudience
        case .notifications: Queries.upsertNotifications
        case .alerts: Queries.upsertAlerts
        case .badges: Queries.upsertBadges
        case .categories: Queries.upsertCategories
        case .actions: Queries.upsertActions
        case .suggestions: Queries.upsertSuggestions
        case .interactions: Queries.upsertInteractions
        case .routes: Queries.upsertRoutes
        case .workouts: Queries.upsertWorkouts
        case .routeTotals: Queries.upsertRouteTotals
        case .refusals: Queries.upsertRefusals
        case .classAlerts: Queries.upsertClassAlerts
        case .notificationSettings: Queries.upsertNotificationSettings
        case .deliverySchedule: Queries.upsertDeliverySchedule
        case .stream: Queries.upsertStream
        case .devices: Queries.upsertDevices
        case .routePoints: Queries.upsertRoutePoints
        case .preferences: Queries.upsertPreferences
        case .preferenceDefaults: Queries.upsertPreferenceDefaults
        }
    }
}
