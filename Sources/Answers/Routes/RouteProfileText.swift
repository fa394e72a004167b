import FocusCore

/// Elevation and speed over distance, for people and for scripts.
package enum RouteProfileText {
    /// The width of the labels in columns: room for 99,999.9.
    private static let margin = 7

    /// Two curves as wide as a terminal. Empty for a route without any way.
    package static func charts(_ points: [RoutePoint], _ distances: RouteDistances, width: Int) -> [String] {
        let columns = BlockChart.columns(width: width, margin: margin)
        let profile = RouteProfile(points, distances, count: columns)
        guard let last = profile.stretches.last else { return [] }
        let axis = "0 to \(NumberText.decimal(last.end / 1_000, 2)) km"
        let elevation = BlockChart(values: profile.stretches.map(\.altitude), margin: margin, label: label).lines
        let speed = BlockChart(values: profile.stretches.map(\.speed), base: 0, margin: margin, label: label).lines
        return (elevation.isEmpty ? [] : ["", "elevation in m, \(axis)"] + elevation)
            + ["", "speed in m/s, \(axis)"] + speed
    }

    package static func table(_ profile: RouteProfile) -> [String] {
        var table = Table(["FROM KM", "TO KM", "ELEVATION M", "SPEED M/S"])
        for stretch in profile.stretches {
            table.add([
                NumberText.decimal(stretch.start / 1_000, 3), NumberText.decimal(stretch.end / 1_000, 3),
                stretch.altitude.map(label) ?? "", NumberText.decimal(stretch.speed, 2),
            ])
        }
        return table.isEmpty ? [] : [""] + table.lines
    }

    package static func json(_ row: RouteRow, _ profile: RouteProfile) -> String {
        var object = JSONText()
        object.addRaw("route", RowText.json(.routes, row.encoded))
        let stretches = profile.stretches.map { stretch -> String in
            var json = JSONText()
            json.addRaw("fromM", "\(stretch.start)")
            json.addRaw("toM", "\(stretch.end)")
            if let altitude = stretch.altitude { json.addRaw("elevationM", "\(altitude)") }
            json.addRaw("speedMps", "\(stretch.speed)")
            return json.text
        }
        object.addRaw("profile", "[\(stretches.joined(separator: ","))]")
        return object.text
    }

    private static func label(_ value: Double) -> String { NumberText.decimal(value, 1) }
}
