import FocusCore
import PostgresClient

extension RowCollection {
    /// Inserts rows into the collection's table, which must not have them: one that it has is a unique violation. It
    /// looks each key up once where `upsert` does so twice: 5.5 instead of 9 µs a row of notifications.
    var insert: Statement {
        let upsert = upsert
        guard let conflict = upsert.sql.firstRange(of: "ON CONFLICT") else {
            preconditionFailure("\(upsert.name) has no conflict clause")
        }
        return Statement(
            name: upsert.name.replacing("upsert_", with: "insert_"), sql: String(upsert.sql[..<conflict.lowerBound]))
    }

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
        case .incarnations: Queries.upsertIncarnations
        case .placePages: Queries.upsertPlacePages
        case .routePoints: Queries.upsertRoutePoints
        case .preferences: Queries.upsertPreferences
        case .preferenceDefaults: Queries.upsertPreferenceDefaults
        }
    }
}
