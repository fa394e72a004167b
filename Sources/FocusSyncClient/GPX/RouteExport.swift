import FocusCore

/// A finished route on its way into a file (rule R8).
public struct RouteExport: Sendable {
    public let row: RouteRow
    /// In the order of time.
    public let points: [RoutePoint]

    /// - Parameter points: the route's accepted points.
    ///
    /// Throws for an unfinished route, and for times that the formats cannot hold.
    public init(_ row: RouteRow, _ points: [RoutePoint]) throws(RouteExportError) {
        guard row.state == .finished else { throw .notFinished }
        let points = points.sorted { $0.time < $1.time }
        for point in [points.first, points.last] {
            guard let point, !Self.years.contains(CivilDate(point.time, utcOffsetSeconds: 0).parts.year) else {
                continue
            }
            throw .impossibleTime(point.time)
        }
        self.row = row
        self.points = points
    }

    /// With four digits, and none of them the year 0, which XML Schema has not.
    private static let years: ClosedRange<Int64> = 1...9_999
}

/// Why a route cannot be written to a file.
public enum RouteExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It may still change (rule R4).
    case notFinished
    /// Outside the years 1 to 9999.
    case impossibleTime(Timestamp)

    public var description: String {
        switch self {
        case .notFinished: "the route is not finished: only a finished route is exported"
        case .impossibleTime(let time): "the route has a point at \(time.microseconds) µs, outside the years 1 to 9999"
        }
    }
}
