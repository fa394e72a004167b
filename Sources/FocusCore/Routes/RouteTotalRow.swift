/// What the finished routes of one activity in one period add up to (collection `route_totals`, rule R7): for an app,
/// or for all apps in the row without one, which only system sessions see.
///
/// Everything is a sum of whole numbers or a greatest one, so it is the same in whatever order routes are finished;
/// each route is rounded once. Sums saturate at `Int64.max`. A route adds at most eight rows, so the bound on routes
/// bounds these.
public struct RouteTotalRow: RowMessage {
    public var activity: String
    public var period: RoutePeriod
    /// The period's first day; nil for all time.
    public var startsOn: CivilDate?
    /// How many routes there are.
    public var routes: Int64 = 0
    public var distanceMillimetres: Int64 = 0
    public var movingMicroseconds: Int64 = 0
    public var elevationGainMillimetres: Int64 = 0
    /// The longest route by distance; of equally long ones the first that was recorded.
    public var longest: RouteBest?
    /// The fastest stretch of each of `RouteStretch.lengths` that any of the routes is long enough for, ascending by
    /// length; of equally fast ones the first that was run.
    public var fastest: [RouteBest] = []

    public init(activity: String, period: RoutePeriod, startsOn: CivilDate?) {
        self.activity = activity
        self.period = period
        self.startsOn = startsOn
    }

    /// Counts another finished route.
    mutating func add(_ route: FinishedRoute) {
        routes = Self.sum(routes, 1)
        distanceMillimetres = Self.sum(distanceMillimetres, route.longest.distanceMillimetres)
        movingMicroseconds = Self.sum(movingMicroseconds, route.movingMicroseconds)
        elevationGainMillimetres = Self.sum(elevationGainMillimetres, route.elevationGainMillimetres)
        if longest.map({ route.longest.isLonger(than: $0) }) ?? true { longest = route.longest }
        for candidate in route.fastest {
            let index = fastest.firstIndex { $0.distanceMillimetres >= candidate.distanceMillimetres } ?? fastest.count
            if index == fastest.count || fastest[index].distanceMillimetres != candidate.distanceMillimetres {
                fastest.insert(candidate, at: index)
            } else if candidate.isFaster(than: fastest[index]) {
                fastest[index] = candidate
            }
        }
    }

    /// Adds numbers that are not negative. It saturates, so sums are the same in any order.
    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
