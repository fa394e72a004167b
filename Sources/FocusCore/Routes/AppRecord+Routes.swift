extension AppRecord {
    // Each of these functions ignores what its refusal in `AppRecord+RouteRefusals` keeps out of the log.

    mutating func applyRouteStarted(_ body: RouteStarted, _ device: DeviceID, _ shared: inout SharedState) {
        let id = ByteText(body.routeID)
        guard routes[id] == nil else { return }
        let row = RouteRow(
            routeID: body.routeID, activity: body.activity, utcOffsetSeconds: body.utcOffsetSeconds, startedBy: device)
        routes[id] = RouteRecord(row)
        shared.put(RowKey(.routes, app: app, key: body.routeID), row.encoded)
    }

    /// Rules R2 and R3: all points were logged, here they are filtered and merged.
    mutating func applyLocations(_ body: RouteLocationsInserted, _ shared: inout SharedState) {
        let id = ByteText(body.routeID)
        let before = routes[id]?.track?.work ?? RouteWork()
        let changed = routes[id]?.insert(body.points, shared.rules) ?? []
        shared.count(
            body.points.count / FoldWork.entriesPerUnit + (routes[id]?.track?.work ?? before).units(since: before))
        for chunk in changed { shared.touch(chunkKey(id, chunk)) }
        guard let row = routes[id]?.row else { return }
        shared.put(RowKey(.routes, app: app, key: body.routeID), row.encoded)
    }

    /// Each workout is a register.
    mutating func applyWorkoutSaved(_ body: WorkoutSaved, _ shared: inout SharedState) {
        let row = WorkoutRow(activity: body.activity, start: body.start, end: body.end)
        guard workouts[ByteText(body.workoutID)].write(row, shared.event.stamp) else { return }
        let key = RowKey(.workouts, app: app, key: body.workoutID)
        shared.touch(key)
        shared.put(key, row.encoded)
    }

    mutating func applyRouteFinished(_ body: RouteFinished, _ shared: inout SharedState) throws(FoldError) {
        let id = ByteText(body.routeID)
        let steps = routes[id]?.finish(body)
        guard let steps, let row = routes[id]?.row else { return }
        shared.count(steps)
        shared.put(RowKey(.routes, app: app, key: body.routeID), row.encoded)
        try shared.addToTotals(row, of: app)
    }

    mutating func applyRouteDiscarded(_ body: RouteDiscarded, _ shared: inout SharedState) {
        let id = ByteText(body.routeID)
        guard let record = routes[id], record.row.state == .open else { return }
        for chunk in record.chunkIDs { shared.touch(chunkKey(id, chunk)) }
        routes[id] = nil
        shared.remove(RowKey(.routes, app: app, key: body.routeID))
    }

    private func chunkKey(_ route: ByteText, _ chunk: Int) -> RowKey {
        RowKey(.routePoints, app: app, key: RouteChunkKey(routeID: route.text, chunk: chunk).description)
    }
}
