import FocusCore

/// Fetched routes, workouts and points for people and for scripts.
package enum FetchText {
    package static func table(_ routes: [(key: AppItem, value: RouteRow)]) -> [String] {
        var table = Table(["APP", "ROUTE", "ACTIVITY", "STATE", "POINTS", "METRES", "FROM"])
        for (item, row) in routes {
            table.add([
                item.app.rawValue, item.id, row.activity, state(row.state), "\(row.aggregates.counts.accepted)",
                NumberText.decimal(row.aggregates.distance, 1), row.aggregates.start?.rfc3339 ?? "",
            ])
        }
        return table.lines
    }

    package static func table(_ workouts: [(key: AppItem, value: WorkoutRow)]) -> [String] {
        var table = Table(["APP", "WORKOUT", "ACTIVITY", "FROM", "TO"])
        for (item, row) in workouts {
            table.add([item.app.rawValue, item.id, row.activity, row.start.rfc3339, row.end.rfc3339])
        }
        return table.lines
    }

    package static func json(_ item: AppItem, _ row: RouteRow) -> String {
        var object = JSONText()
        object.add("app", item.app.rawValue)
        object.add("routeId", item.id)
        object.add("activity", row.activity)
        object.add("state", state(row.state))
        object.add("workoutId", row.workoutID)
        object.add("points", row.aggregates.counts.accepted)
        object.addRaw("distanceM", "\(row.aggregates.distance)")
        object.add("start", row.aggregates.start?.rfc3339)
        object.add("end", row.aggregates.end?.rfc3339)
        return object.text
    }

    package static func json(_ item: AppItem, _ row: WorkoutRow) -> String {
        var object = JSONText()
        object.add("app", item.app.rawValue)
        object.add("workoutId", item.id)
        object.add("activity", row.activity)
        object.add("start", row.start.rfc3339)
        object.add("end", row.end.rfc3339)
        return object.text
    }

    package static func line(_ point: RoutePoint) -> String {
        let altitude = point.isAltitudeKnown ? "\(point.altitude)" : "-"
        return "\(point.time.rfc3339) \(point.latitude) \(point.longitude) \(altitude) \(point.horizontalAccuracy)"
    }

    /// A point as JSON, without the values that are not known.
    package static func json(_ point: RoutePoint) -> String {
        var object = JSONText()
        object.add("time", point.time.rfc3339)
        object.addRaw("latitude", "\(point.latitude)")
        object.addRaw("longitude", "\(point.longitude)")
        if point.isAltitudeKnown {
            object.addRaw("altitude", "\(point.altitude)")
            object.addRaw("verticalAccuracy", "\(point.verticalAccuracy)")
        }
        object.addRaw("horizontalAccuracy", "\(point.horizontalAccuracy)")
        if point.speed >= 0 { object.addRaw("speed", "\(point.speed)") }
        if point.course >= 0 { object.addRaw("course", "\(point.course)") }
        return object.text
    }

    private static func state(_ state: RouteState) -> String {
        switch state {
        case .open: "open"
        case .finished: "finished"
        }
    }
}
