import FocusCore

extension UserLife {
    private static let pointsPerBatch = 60

    /// A run: started, recorded a minute at a time, saved, finished. Ends at `time`.
    mutating func route(_ time: Timestamp) -> [Draft] {
        guard let app = apps.first(where: { $0.app.kind == .sport })?.app.id else { return [preferenceOfTheFirst()] }
        routes += 1
        let (id, workout) = ("r\(routes)", "w\(routes)")
        let batches = 3 + random.below(8)
        let start = time.adding(microseconds: -Int64(batches * Self.pointsPerBatch) * 1_000_000)
        var place = (latitude: 45 + random.unit() * 10, longitude: random.unit() * 20, altitude: 40.0)
        var drafts = [
            Draft(
                app: app,
                body: .routeStarted(
                    RouteStarted(
                        routeID: id, activity: random.chance(3, of: 4) ? "running" : "cycling",
                        utcOffsetSeconds: Int32(zone.hours * 3_600))))
        ]
        for batch in 0..<batches {
            let first = start.adding(microseconds: Int64(batch * Self.pointsPerBatch) * 1_000_000)
            drafts.append(
                Draft(
                    app: app,
                    body: .routeLocationsInserted(
                        RouteLocationsInserted(routeID: id, points: points(from: first, &place)))))
        }
        drafts.append(
            Draft(
                app: app,
                body: .workoutSaved(WorkoutSaved(workoutID: workout, activity: "running", start: start, end: time))))
        drafts.append(Draft(app: app, body: .routeFinished(RouteFinished(routeID: id, workoutID: workout))))
        return drafts
    }

    private func preferenceOfTheFirst() -> Draft {
        Draft(app: apps[0].app.id, body: .preferenceReset(PreferenceReset(key: "textSize")))
    }

    /// A point a second, about 3 m apart; between houses a receiver is sometimes 60 m off (rule R2).
    private mutating func points(
        from first: Timestamp, _ place: inout (latitude: Double, longitude: Double, altitude: Double)
    ) -> [RoutePoint] {
        (0..<Self.pointsPerBatch).map { second in
            place.latitude += 1e-5 + random.unit() * 2e-5
            place.longitude += 1e-5 + random.unit() * 2e-5
            place.altitude = max(0, place.altitude + random.unit() - 0.5)
            let isOff = random.chance(1, of: 40)
            return RoutePoint(
                time: first.adding(microseconds: Int64(second) * 1_000_000), latitude: place.latitude,
                longitude: place.longitude, altitude: place.altitude,
                horizontalAccuracy: isOff ? 40 + random.unit() * 40 : 3 + random.unit() * 22, verticalAccuracy: 4,
                speed: 2.5 + random.unit(), course: 45)
        }
    }
}
