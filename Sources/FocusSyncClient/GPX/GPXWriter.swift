import FocusCore

/// Writes GPX 1.1 (rule R8): one track of one segment, with every accepted point in the order of time.
///
/// It writes the place, the time to the microsecond, and the elevation where it is known. `GPXReader` gives the same
/// points back, except for what GPX cannot hold: accuracies, speed and course. Longitude 180 becomes −180, because GPX
/// has only the latter.
public enum GPXWriter {
    public static func write(_ route: RouteExport, to target: inout some TextOutputStream) {
        target.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="focus-sync" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
            <trk>
            <name>\(escaped(route.row.routeID))</name>

            """)
        if !route.row.activity.isEmpty { target.write("<type>\(escaped(route.row.activity))</type>\n") }
        target.write("<trkseg>\n")
        for point in route.points { write(point, to: &target) }
        target.write("</trkseg>\n</trk>\n</gpx>\n")
    }

    private static func write(_ point: RoutePoint, to target: inout some TextOutputStream) {
        let longitude = point.longitude == 180 ? -180 : point.longitude
        target.write("<trkpt lat=\"\(DecimalText.text(point.latitude))\" lon=\"\(DecimalText.text(longitude))\">")
        if point.isAltitudeKnown { target.write("<ele>\(DecimalText.text(point.altitude))</ele>") }
        target.write("<time>\(GPXTime.text(point.time))</time></trkpt>\n")
    }

    /// The text as an element's contents. Characters that XML 1.0 cannot hold, not even escaped, become U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            // It must be escaped in "]]>".
            case ">": escaped += "&gt;"
            // A parser turns a bare carriage return into a line feed.
            case "\r": escaped += "&#13;"
            case "\t", "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }
}
