import FocusCore

/// How fast a route was between two moments (rule R6), for people and for scripts.
package enum RouteSpeedText {
    /// `2.5 m/s`.
    /// - Parameter speed: in m/s.
    package static func text(_ speed: Double) -> String { "\(NumberText.decimal(speed, 3)) m/s" }

    /// - Parameter speed: in m/s; nil: some of the time is outside the route.
    package static func json(_ speed: Double?, from first: Timestamp, to last: Timestamp) -> String {
        var json = JSONText()
        json.add("from", first.rfc3339)
        json.add("to", last.rfc3339)
        json.addRaw("speedMps", speed.map { "\($0)" } ?? "null")
        return json.text
    }
}
