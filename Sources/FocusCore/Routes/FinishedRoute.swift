/// What a route that was just finished brings to the totals.
struct FinishedRoute {
    let day: CivilDate
    let movingMicroseconds: Int64
    let elevationGainMillimetres: Int64
    let longest: RouteBest
    let fastest: [RouteBest]

    /// Nil for a route without points, which no event finishes (rule R4).
    init?(_ row: RouteRow, app: AppID) {
        guard let start = row.aggregates.start else { return nil }
        day = CivilDate(start, utcOffsetSeconds: row.utcOffsetSeconds)
        movingMicroseconds = max(0, row.aggregates.movingMicroseconds)
        elevationGainMillimetres = Self.millimetres(row.aggregates.elevationGain)
        longest = RouteBest(
            app: app, routeID: row.routeID, start: start,
            distanceMillimetres: Self.millimetres(row.aggregates.distance),
            durationMicroseconds: row.aggregates.durationMicroseconds)
        fastest = row.fastest.map {
            RouteBest(
                app: app, routeID: row.routeID, start: $0.start, distanceMillimetres: $0.metres * 1_000,
                durationMicroseconds: $0.durationMicroseconds)
        }
    }

    /// Rounds to the nearest millimetre; at least 0. A damaged row may hold any number.
    private static func millimetres(_ metres: Double) -> Int64 {
        max(0, Int64(exactly: (metres * 1_000).rounded()) ?? 0)
    }
}
