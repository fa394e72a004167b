extension UserState {
    // Each of these functions ignores what its refusal in `AppRecord+RouteRefusals` keeps out of the log.

    mutating func applyRouteStarted(_ body: RouteStarted, _ device: DeviceID, _ slot: Int, _ context: inout FoldContext)
    {
        let id = ByteText(body.routeID)
        guard apps[slot].routes[id] == nil else { return }
        let row = RouteRow(
            routeID: body.routeID, activity: body.activity, utcOffsetSeconds: body.utcOffsetSeconds, startedBy: device)
        apps[slot].routes[id] = RouteRecord(row)
        put(RowKey(.routes, app: apps[slot].app, key: body.routeID), row.encoded, &context)
    }

    /// Rules R2 and R3: all points were logged, here they are filtered and merged.
    mutating func applyLocations(_ body: RouteLocationsInserted, _ slot: Int, _ context: inout FoldContext) {
        let id = ByteText(body.routeID)
        let changed = apps[slot].routes[id]?.insert(body.points, rules) ?? []
        for chunk in changed { context.touch(chunkKey(id, chunk, slot)) }
        guard let row = apps[slot].routes[id]?.row else { return }
        put(RowKey(.routes, app: apps[slot].app, key: body.routeID), row.encoded, &context)
    }

    /// Each workout is a register.
    mutating func applyWorkoutSaved(_ body: WorkoutSaved, _ slot: Int, _ context: inout FoldContext) {
        let row = WorkoutRow(activity: body.activity, start: body.start, end: body.end)
        guard apps[slot].workouts[ByteText(body.workoutID)].write(row, context.stamp) else { return }
        let key = RowKey(.workouts, app: apps[slot].app, key: body.workoutID)
        context.touch(key)
        put(key, row.encoded, &context)
    }

    mutating func applyRouteFinished(
        _ body: RouteFinished, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) {
        let id = ByteText(body.routeID)
        guard apps[slot].routes[id]?.finish(body) == true, let row = apps[slot].routes[id]?.row else { return }
        put(RowKey(.routes, app: apps[slot].app, key: body.routeID), row.encoded, &context)
        try addToTotals(row, slot, &context)
    }

    mutating func applyRouteDiscarded(_ body: RouteDiscarded, _ slot: Int, _ context: inout FoldContext) {
        let id = ByteText(body.routeID)
        guard let record = apps[slot].routes[id], record.row.state == .open else { return }
        for chunk in record.chunkIDs { context.touch(chunkKey(id, chunk, slot)) }
        apps[slot].routes[id] = nil
        remove(RowKey(.routes, app: apps[slot].app, key: body.routeID), &context)
    }

    /// A route's points in chunks, as `RouteTrack(chunks:counts:)` takes them. Empty when they are not in the state:
    /// those of a route that was finished when the state was loaded stay in their table.
    public func routeChunks(of routeID: String, in app: AppID) -> [Int: [UInt8]] {
        guard let route = record(of: app)?.routes[ByteText(routeID)] else { return [:] }
        var chunks: [Int: [UInt8]] = [:]
        for id in route.chunkIDs { chunks[id] = route.chunk(id) }
        return chunks
    }

    func chunkKey(_ route: ByteText, _ chunk: Int, _ slot: Int) -> RowKey {
        let key = RouteChunkKey(routeID: route.text, chunk: chunk)
        return RowKey(.routePoints, app: apps[slot].app, key: key.description)
    }
}
