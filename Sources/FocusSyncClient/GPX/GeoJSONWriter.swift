import FocusCore

/// Writes GeoJSON (RFC 7946, rule R8): one feature with every accepted point in the order of time.
///
/// The geometry is a LineString; a MultiLineString when the route crosses the antimeridian, where it is cut (§3.1.9); a
/// Point when there is only one. Positions are longitude, latitude and, where it is known, altitude. Their times, to
/// the microsecond, stand in the property `coordTimes`, nested like the coordinates. The other properties are the
/// route's own, in the units that their names tell.
public enum GeoJSONWriter {
    public static func write(_ route: RouteExport, to target: inout some TextOutputStream) {
        let lines = GeoJSONLines(route.points).lines
        target.write(#"{"type":"Feature","id":\#(string(route.row.routeID)),"#)
        if let box = route.row.aggregates.bounds {
            let edges = [box.west, box.south, box.east, box.north]
            target.write(#""bbox":[\#(edges.map(DecimalText.text).joined(separator: ","))],"#)
        }
        write(lines, to: &target)
        target.write(#","properties":{"#)
        for (name, value) in properties(of: route.row) { target.write("\(string(name)):\(value),") }
        target.write(#""coordTimes":"#)
        writeNested(lines, to: &target) { "\"\(GPXTime.text($0.time))\"" }
        target.write("}}\n")
    }

    private static func write(_ lines: [[GeoJSONLines.Position]], to target: inout some TextOutputStream) {
        let type = lines.count != 1 ? "MultiLineString" : lines[0].count == 1 ? "Point" : "LineString"
        target.write(#""geometry":{"type":"\#(type)","coordinates":"#)
        writeNested(lines, to: &target) { position in
            let numbers = [position.longitude, position.latitude] + (position.altitude.map { [$0] } ?? [])
            return "[\(numbers.map(DecimalText.text).joined(separator: ","))]"
        }
        target.write("}")
    }

    /// Writes one text for each position, in arrays nested as the geometry's type demands.
    private static func writeNested(
        _ lines: [[GeoJSONLines.Position]], to target: inout some TextOutputStream,
        _ text: (GeoJSONLines.Position) -> String
    ) {
        if lines.count == 1, lines[0].count == 1 { return target.write(text(lines[0][0])) }
        if lines.count != 1 { target.write("[") }
        for (number, line) in lines.enumerated() {
            target.write(number == 0 ? "[" : ",[")
            for (number, position) in line.enumerated() {
                if number > 0 { target.write(",") }
                target.write(text(position))
            }
            target.write("]")
        }
        if lines.count != 1 { target.write("]") }
    }

    /// The names of the feature's properties, and their values as JSON.
    private static func properties(of row: RouteRow) -> [(String, String)] {
        let sums = row.aggregates
        var properties = [("routeId", string(row.routeID)), ("activity", string(row.activity))]
        if let workout = row.workoutID { properties.append(("workoutId", string(workout))) }
        properties.append(("utcOffsetSeconds", String(row.utcOffsetSeconds)))
        if let start = sums.start, let end = sums.end {
            properties.append(("startedAt", string(GPXTime.text(start))))
            properties.append(("endedAt", string(GPXTime.text(end))))
        }
        let numbers = [
            ("distanceMetres", sums.distance), ("durationSeconds", Double(sums.durationMicroseconds) / 1e6),
            ("movingSeconds", Double(sums.movingMicroseconds) / 1e6), ("elevationGainMetres", sums.elevationGain),
            ("elevationLossMetres", sums.elevationLoss),
        ]
        properties += numbers.map { ($0.0, $0.1.isFinite ? DecimalText.text($0.1) : "null") }
        let notes = row.metadata.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\(string($0.key)):\(string($0.value))" }
        properties.append(("metadata", "{\(notes.joined(separator: ","))}"))
        return properties
    }

    private static func string(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
