/// A span of the calendar that finished routes are counted over (rule R7). A route counts on the day of its first
/// accepted point, where clocks are as far from UTC as the route says.
public enum RoutePeriod: Int32, Hashable, Sendable, CaseIterable {
    case day = 1
    /// A week of ISO 8601, from Monday.
    case week = 2
    case month = 3
    /// All time.
    case all = 4

    /// The first day of the period around `day`; nil for all time.
    public func start(of day: CivilDate) -> CivilDate? {
        switch self {
        case .day: day
        case .week: day.monday
        case .month: day.firstOfMonth
        case .all: nil
        }
    }

    /// The key of a row of `route_totals`: `day/2026-11-21/running`, `week/2026-W47/running`, `month/2026-11/running`,
    /// `all/running`. An activity may be any text: it is all that follows the period.
    public func key(of day: CivilDate, activity: String) -> String {
        switch self {
        case .day: "day/\(day)/\(activity)"
        case .week: "week/\(day.weekText)/\(activity)"
        case .month: "month/\(day.monthText)/\(activity)"
        case .all: "all/\(activity)"
        }
    }
}
