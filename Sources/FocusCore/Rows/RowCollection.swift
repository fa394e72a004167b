/// A set of rows of one kind. The raw value names its table in the read model and the collection on the wire.
public enum RowCollection: String, Hashable, Sendable, CaseIterable, Comparable {
    // What devices get
    case apps
    case authorizations
    /// Configured Focuses; key: Focus id.
    case focuses
    /// The one active Focus, if any; key: "".
    case activeFocus = "active_focus"
    /// The user's status as seen from an app (rule F3); key: "".
    case focusVisibility = "focus_visibility"
    /// Who may be shown the user's status in an app (rule F5); key: user id.
    case audience
    case notifications
    /// Alert decisions, made once (rules E6, N9); key: notification id.
    case alerts
    /// Alert decisions for a class of device that comes out differently from the phone (rule N15); key:
    /// `<class>/<notification id>`.
    case classAlerts = "class_alerts"
    case badges
    /// Kinds of notifications and their actions (rule N1); key: "".
    case categories
    /// What was done with notifications, resolved once (rules E6, N12); key: notification id.
    case actions
    /// What was done with notifications of an app that is still to hear of it (rule N20), for sessions of that app alone;
    /// key: the id of the event that performed it.
    case waitingActions = "waiting_actions"
    /// People suggested for Focus breakthrough, per app and, without app, over all (rule I3); key: handle.
    case suggestions
    /// What notifications of an app, or by default of all apps, may do (rules N15, N16); key: "".
    case notificationSettings = "notification_settings"
    /// When summaries come (rule N16); key: "".
    case deliverySchedule = "delivery_schedule"
    case routes
    case workouts
    /// Effective values of preferences (rule D1); key: the preference's.
    case preferences
    /// Totals of finished routes, for each app and, without an app, for all (rule R7); key: see `RoutePeriod.key`.
    case routeTotals = "route_totals"
    /// Refused events (rule E2); key: `<device>/<incarnation>/<sequence>`.
    case refusals
    // What only the fold needs, never sent
    /// The stream itself: its last event's id; key: "".
    case stream
    /// Where the stream of each app is, for that app's sessions (rule Z1); key: "".
    case appStreams = "app_streams"
    /// Sequences and remembered answers of a device in one scope (rule E1); key: see `ScopeHistory.key`.
    case devices
    /// Incarnations of devices other than the one used last (rule P10); key: `<device>/<incarnation>`.
    case incarnations
    /// Where in the stream the earlier events of an incarnation are (rule E1); key: see `PlacePageKey`. Not loaded with
    /// the user.
    case placePages = "place_pages"
    /// Donated interactions and remembered deletions (rules I2, I4); key: see `InteractionKey`.
    case interactions
    /// Accepted points of a route in chunks; key: `<route>/<chunk>`.
    case routePoints = "route_points"
    /// Which devices are in use (rule N18); key: "".
    case deviceActivity = "device_activity"
    /// What an app registered (domain.md §6); key: "".
    case preferenceDefaults = "preference_defaults"

    // Compared and hashed by number: what Swift derives from a raw value compares and hashes the names.
    public static func == (a: Self, b: Self) -> Bool { a.ordinal == b.ordinal }
    public func hash(into hasher: inout Hasher) { hasher.combine(ordinal) }

    /// Ordered by name.
    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    /// Its place in the order of the names.
    var rank: UInt8 { Self.ranks[Int(ordinal)] }

    /// The rank of each collection, by ordinal: keys are sorted far too often to compare names.
    private static let ranks: [UInt8] = {
        var ranks = [UInt8](repeating: 0, count: allCases.count)
        for (rank, collection) in allCases.sorted(by: { $0.rawValue < $1.rawValue }).enumerated() {
            ranks[Int(collection.ordinal)] = UInt8(rank)
        }
        return ranks
    }()
}

extension RowCollection {
    /// A number that stands for it in a hash: cheaper than its name, and without meaning outside the process.
    var ordinal: UInt8 {
        // A case without a payload is its place among the cases, in memory.
        unsafeBitCast(self, to: UInt8.self)
    }
}
