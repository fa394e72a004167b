/// A question of a device about something that rows do not hold, or that is another app's or another user's (rules R1,
/// R6, F6).
public struct FetchRequest: Hashable, Sendable {
    /// Chosen by the device; the answer carries it.
    public var id: UInt64
    public var question: FetchQuestion

    public init(id: UInt64, _ question: FetchQuestion) {
        self.id = id
        self.question = question
    }
}

/// What can be fetched.
public enum FetchQuestion: Hashable, Sendable {
    /// A page of a route's accepted points between two times, both inclusive; nil means from the first, or to the last.
    case routePoints(AppItem, from: Timestamp?, to: Timestamp?, limit: Int)
    /// The speed over an interval of a route (rule R6).
    case routeSpeed(AppItem, from: Timestamp, to: Timestamp)
    /// The row of a route.
    case route(AppItem)
    /// A page of the rows of all routes that the session may read.
    case routes(after: AppItem?)
    /// A page of the rows of all workouts that the session may read.
    case workouts(after: AppItem?)
    /// Whether a message would reach another user (rule F6).
    case reach(ReachQuestion)
    /// A question of a kind that this program does not know (rule W3).
    case unknown

    /// The one route that it is about; nil when it is about no single one.
    public var route: AppItem? {
        switch self {
        case .routePoints(let route, _, _, _), .routeSpeed(let route, _, _), .route(let route): route
        case .routes, .workouts, .reach, .unknown: nil
        }
    }
}

/// A route or a workout: an app's own id, and the app.
public struct AppItem: Hashable, Sendable, Comparable, CustomStringConvertible {
    public var app: AppID
    public var id: String

    public init(_ app: AppID, _ id: String) {
        self.app = app
        self.id = id
    }

    public var description: String { "\(app)/\(id)" }

    /// Compared by bytes, as ids are everywhere.
    public static func == (a: Self, b: Self) -> Bool { a.app == b.app && ByteText.equal(a.id, b.id) }
    public static func < (a: Self, b: Self) -> Bool { a.app == b.app ? ByteText.precedes(a.id, b.id) : a.app < b.app }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(app)
        ByteText.hash(id, into: &hasher)
    }
}

/// The answer to a `FetchRequest`.
public struct Fetched: Hashable, Sendable {
    public var request: UInt64
    /// The user's version that it is of; 0 of an answer about another user, whose versions would count what they do.
    public var version: Version
    public var answer: FetchAnswer

    public init(request: UInt64, version: Version, _ answer: FetchAnswer) {
        self.request = request
        self.version = version
        self.answer = answer
    }
}

public enum FetchAnswer: Hashable, Sendable {
    /// Points in the order of time; `next` is the time of the first one after them, nil when there are no more.
    case points([RoutePoint], next: Timestamp?)
    /// Metres per second (rule R6); nil outside the route.
    case speed(Double?)
    /// Rows ordered by app and id; `more` says whether some come after the last of these.
    case rows([DeltaRow], more: Bool)
    case reach(Reach)
    /// An answer of a kind that this program does not know; only a client meets it.
    case unknown
}

/// How much one answer holds: little enough that it keeps no delta waiting, and a frame takes it with room to spare.
public enum FetchLimits {
    /// A point takes at most 76 bytes.
    public static let pointsPerPage = 1_000
    public static let rowsPerPage = 200
    /// A page of rows ends behind the row that reaches this.
    public static let pageBytes = 64 * 1024
}
