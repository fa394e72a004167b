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
    /// Of a class of device that comes out differently (rule N15); key: `<class>/<notification id>`.
    case classAlerts = "class_alerts"
    case badges
    /// Kinds of notifications and their actions (rule N1); key: "".
    case categories
    /// What was done with notifications, resolved once (rules E6, N12); key: notification id.
    case actions
    /// People suggested for Focus breakthrough, per app and, without app, over all (rule I3); key: handle.
    case suggestions
    /// What notifications of an app, or by default of all apps, may do (rules N15, N16); key: "".
    case notificationSettings = "notification_settings"
    /// When summaries come (rule N16); key: "".
    case deliverySchedule = "delivery_schedule"
    case routes
    case workouts
    /// Effective values of preferences (rule P1); key: the preference's.
    case preferences
    /// What finished routes add up to, of each app and, without an app, of all (rule R7); key: see `RoutePeriod.key`.
    case routeTotals = "route_totals"
    /// Refused events (rule E2); key: `<device>/<incarnation>/<sequence>`.
    case refusals
    // What only the fold needs, never sent
    /// The stream itself: its last event's id; key: "".
    case stream
    /// Sequences and remembered answers (rule E1); key: device id.
    case devices
    /// Donated interactions and remembered deletions (rules I2, I4); key: see `InteractionKey`.
    case interactions
    /// Accepted points of a route in chunks; key: `<route>/<chunk>`.
    case routePoints = "route_points"
    /// What an app registered (domain.md §6); key: "".
    case preferenceDefaults = "preference_defaults"

    /// Whether devices may ever see rows of this collection.
    public var isPublic: Bool {
        switch self {
        case .apps, .authorizations, .focuses, .activeFocus, .focusVisibility, .audience, .notifications, .alerts,
            .badges, .categories, .actions, .suggestions,
            .routes, .workouts, .routeTotals, .refusals, .classAlerts, .notificationSettings, .deliverySchedule,
            .preferences:
            true
        case .stream, .devices, .interactions, .routePoints, .preferenceDefaults: false
        }
    }

    /// By name.
    public static func < (a: Self, b: Self) -> Bool { ranks[Int(a.ordinal)] < ranks[Int(b.ordinal)] }

    /// The place of each, by ordinal, in the order of their names: keys are sorted far too often to compare names.
    private static let ranks: [UInt8] = {
        var ranks = [UInt8](repeating: 0, count: allCases.count)
        for (rank, collection) in allCases.sorted(by: { $0.rawValue < $1.rawValue }).enumerated() {
            ranks[Int(collection.ordinal)] = UInt8(rank)
        }
        return ranks
    }()
}

/// Names a row within a user's state.
public struct RowKey: Hashable, Sendable, Comparable {
    public let collection: RowCollection
    /// Nil for rows of the user. For `refusals`, the app of the scope that appended the event.
    public let app: AppID?
    public let key: String
    /// A key is looked up a dozen times on its way from the fold to the read model; its text is hashed once.
    private let textHash: Int

    public init(_ collection: RowCollection, app: AppID? = nil, key: String = "") {
        self.collection = collection
        self.app = app
        self.key = key
        var hasher = Hasher()
        hasher.combine(collection.ordinal)
        ByteText.hash(app?.rawValue ?? "", into: &hasher)
        ByteText.hash(key, into: &hasher)
        textHash = hasher.finalize()
    }

    // By bytes, as the tables and other programs compare (see `ByteText`), so that one key is never two.
    public static func < (a: Self, b: Self) -> Bool {
        // Not `!=`, which compares the names: this is most of what sorting keys costs.
        if a.collection.ordinal != b.collection.ordinal { return a.collection < b.collection }
        let order = ByteText.compare(a.app?.rawValue ?? "", b.app?.rawValue ?? "")
        return order == 0 ? ByteText.precedes(a.key, b.key) : order < 0
    }

    public static func == (a: Self, b: Self) -> Bool {
        a.textHash == b.textHash && a.collection.ordinal == b.collection.ordinal && a.app == b.app
            && ByteText.equal(a.key, b.key)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(textHash) }
}

extension RowCollection {
    /// Its place in a hash: cheaper than its name, and of no meaning outside the process.
    var ordinal: UInt8 {
        switch self {
        case .apps: 0
        case .authorizations: 1
        case .focuses: 2
        case .activeFocus: 3
        case .focusVisibility: 4
        case .audience: 5
        case .notifications: 6
        case .alerts: 7
        case .badges: 8
        case .routes: 9
        case .workouts: 10
        case .refusals: 11
        case .stream: 12
        case .devices: 13
        case .routePoints: 14
        case .categories: 15
        case .actions: 16
        case .suggestions: 17
        case .interactions: 18
        case .classAlerts: 19
        case .notificationSettings: 20
        case .deliverySchedule: 21
        case .preferences: 22
        case .preferenceDefaults: 23
        case .routeTotals: 24
        }
    }
}
