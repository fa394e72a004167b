import FocusCore

/// A route's figures as its picture tells them.
enum PictureText {
    /// `9:05`, or `1:02:03` from an hour on.
    static func clock(seconds: Double) -> String {
        guard let seconds = Int64(exactly: max(0, seconds).rounded()) else { return "" }
        guard seconds >= 3_600 else { return "\(seconds / 60):\(two(seconds % 60))" }
        return "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    static func title(_ row: RouteRow) -> String {
        let activity = row.activity.isEmpty ? row.routeID : row.activity
        return activity.prefix(1).uppercased() + activity.dropFirst().prefix(79)
    }

    /// When the route was, where it was: `2010-08-05, 16:23 to 18:23 (UTC+02:00)`.
    static func time(_ row: RouteRow) -> String {
        guard let start = row.aggregates.start, let end = row.aggregates.end else { return "" }
        let days = [start, end].map { CivilDate($0, utcOffsetSeconds: row.utcOffsetSeconds).description }
        let clocks = [start, end].map { clock($0, row.utcOffsetSeconds) }
        let until = days[0] == days[1] ? clocks[1] : "\(days[1]), \(clocks[1])"
        return "\(days[0]), \(clocks[0]) to \(until) (UTC\(offset(row.utcOffsetSeconds)))"
    }

    /// `13.68 km · 1:59:50, moving 1:40:12 · 6.8 km/h · ↗ 182 m ↘ 180 m`.
    static func figures(_ sums: RouteAggregates) -> String {
        let parts = [
            "\(PictureScale.text(sums.distance / 1_000, step: 0.01)) km",
            "\(clock(seconds: Double(sums.durationMicroseconds) / 1e6)), "
                + "moving \(clock(seconds: Double(sums.movingMicroseconds) / 1e6))",
            "\(SVGDrawing.number(sums.movingAverageSpeed * 3.6)) km/h moving",
        ]
        guard sums.altitude != nil else { return parts.joined(separator: " · ") }
        let climbs = [sums.elevationGain, sums.elevationLoss].map { SVGDrawing.number($0.rounded()) }
        return (parts + ["↗ \(climbs[0]) m ↘ \(climbs[1]) m"]).joined(separator: " · ")
    }

    private static func clock(_ time: Timestamp, _ utcOffsetSeconds: Int32) -> String {
        let local = time.adding(microseconds: Int64(utcOffsetSeconds) * 1_000_000).microseconds / 1_000_000
        let seconds = (local % 86_400 + 86_400) % 86_400
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60))"
    }

    private static func offset(_ seconds: Int32) -> String {
        let minutes = Int(seconds).magnitude / 60
        return "\(seconds < 0 ? "−" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
    }

    private static func two(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
