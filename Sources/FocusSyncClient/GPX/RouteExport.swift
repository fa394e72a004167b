import FocusCore

/// A finished route, ready to be written to a file (rule R8).
public struct RouteExport: Sendable {
    /// The route's row, with its aggregates.
    public let row: RouteRow
    /// The route's accepted points, in the order of time.
    public let points: [RoutePoint]

    /// - Parameter points: the route's accepted points, in any order.
    /// - Throws: `RouteExportError.notFinished`; `impossibleTime` for a time that the formats cannot hold.
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

    /// The same route with its points smoothed; its row stays as it is.
    public func smoothed(_ smoothing: RouteSmoothing) -> RouteExport {
        RouteExport(row: row, ordered: smoothing.smoothed(points))
    }

    private init(row: RouteRow, ordered points: [RoutePoint]) { (self.row, self.points) = (row, points) }

    /// Years of four digits, without the year 0, which XML Schema does not have.
    private static let years: ClosedRange<Int64> = 1...9_999
}

/// Why a route cannot be written to a file.
public enum RouteExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The route is not finished, and may still change (rule R4).
    case notFinished
    /// A point's time is outside the years 1 to 9999.
    case impossibleTime(Timestamp)

    public var description: String {
        switch self {
        case .notFinished: "the route is not finished: only a finished route is exported"
        case .impossibleTime(let time): "the route has a point at \(time.microseconds) µs, outside the years 1 to 9999"
        }
    }
}
