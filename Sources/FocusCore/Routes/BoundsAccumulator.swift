/// The box around points that follow one another (rule R5). Longitudes are unwound: a step across the antimeridian by
/// the shorter way adds or subtracts one turn, so that a route around 180° has a narrow box. Edges are numbers that
/// came in, never sums of them.
struct BoundsAccumulator: Hashable, Sendable {
    /// A longitude after some whole turns to the east.
    private struct Unwound: Hashable, Comparable {
        var turns: Int32
        var longitude: Double
        static func < (a: Self, b: Self) -> Bool { (a.turns, a.longitude) < (b.turns, b.longitude) }
    }

    private var south: Double
    private var north: Double
    private var west: Unwound
    private var east: Unwound
    private var first: Double
    private var last: Unwound
    private var touchesPole: Bool

    init(latitude: Double, longitude: Double) {
        (south, north) = (latitude, latitude)
        first = longitude
        last = Unwound(turns: 0, longitude: longitude)
        (west, east) = (last, last)
        touchesPole = abs(latitude) == 90
    }

    mutating func add(latitude: Double, longitude: Double) {
        south = min(south, latitude)
        north = max(north, latitude)
        if abs(latitude) == 90 { touchesPole = true }
        last = unwound(longitude)
        west = min(west, last)
        east = max(east, last)
    }

    /// Adds points that come after these.
    mutating func join(_ next: BoundsAccumulator) {
        south = min(south, next.south)
        north = max(north, next.north)
        if next.touchesPole { touchesPole = true }
        let turns = unwound(next.first).turns
        func turned(_ point: Unwound) -> Unwound {
            Unwound(turns: point.turns &+ turns, longitude: point.longitude)
        }
        west = min(west, turned(next.west))
        east = max(east, turned(next.east))
        last = turned(next.last)
    }

    /// The longitude, unwound by the shorter way from `last`.
    private func unwound(_ longitude: Double) -> Unwound {
        let step = longitude - last.longitude
        return Unwound(turns: last.turns &+ (step < -180 ? 1 : step > 180 ? -1 : 0), longitude: longitude)
    }

    var bounds: RouteBounds {
        let turns = east.turns - west.turns
        let goesAround = turns > 1 || turns == 1 && east.longitude >= west.longitude
        guard !goesAround, !touchesPole else { return RouteBounds(south: south, west: -180, north: north, east: 180) }
        return RouteBounds(south: south, west: west.longitude, north: north, east: east.longitude)
    }
}
