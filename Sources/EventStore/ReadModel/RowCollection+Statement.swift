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
        case .routes: Queries.upsertRoutes
        case .workouts: Queries.upsertWorkouts
        case .routeTotals: Queries.upsertRouteTotals
        case .refusals: Queries.upsertRefusals
        case .stream: Queries.upsertStream
        case .devices: Queries.upsertDevices
        case .routePoints: Queries.upsertRoutePoints
        }
    }
}
