import FocusCore

import struct Foundation.UUID

/// Routes of an app's workouts (rules R1 to R5). Their rows come from the server: a device does not foresee a route's
/// distance and other figures.
public struct AppRoutes: Sendable {
    let client: SyncClient
    /// The app whose routes these are. Nil: the client is a system session and no app was named; every call that is not
    /// told an app throws `SyncClientError.noApp`.
    public let app: AppID?

    /// Begins a route.
    /// - Parameters:
    ///   - activity: what is done, for example `running`.
    ///   - id: nil: a random UUID.
    ///   - utcOffsetSeconds: how far local time is ahead of UTC; it decides the calendar day that the route counts for
    ///     (rule R7).
    public func start(
        _ activity: String, id: String? = nil, utcOffsetSeconds: Int32 = 0
    ) async throws -> OpenRoute {
        guard let app else { throw SyncClientError.noApp }
        let route = OpenRoute(client: client, app: app, id: id ?? UUID().uuidString, activity: activity)
        try await client.append(
            .routeStarted(
                RouteStarted(routeID: route.id, activity: activity, utcOffsetSeconds: utcOffsetSeconds)), app: app)
        return route
    }

    /// A route that was begun before, perhaps by an earlier run of the program on this device. Nothing is appended or
    /// checked.
    public func resume(_ id: String, activity: String) throws(SyncClientError) -> OpenRoute {
        guard let app else { throw .noApp }
        return OpenRoute(client: client, app: app, id: id, activity: activity)
    }

    /// The app's routes, by their ids.
    public func all() async throws -> [String: RouteRow] {
        guard let app else { throw SyncClientError.noApp }
        var routes: [String: RouteRow] = [:]
        for row in try await client.rows(of: .routes) where row.key.app == app {
            // A row of a later server, which this library cannot read, is left out.
            if let value = row.value, let route = try? RouteRow(decoding: value) { routes[row.key.key] = route }
        }
        return routes
    }
}

/// A route that this device has begun and not finished.
public struct OpenRoute: Sendable, Identifiable {
    let client: SyncClient
    public let app: AppID
    public let id: String
    public let activity: String

    /// Adds points, in any order (rule R3).
    public func insert(_ points: [RoutePoint]) async throws {
        for start in stride(from: 0, to: points.count, by: EventLimits.pointsPerBatch) {
            let batch = Array(points[start..<min(points.count, start + EventLimits.pointsPerBatch)])
            try await client.append(
                .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: batch)), app: app)
        }
    }

    /// Ends the route and gives it to a workout that was saved before (rule R4).
    @discardableResult
    public func finish(workout workoutID: String, metadata: [String: String] = [:]) async throws -> QueuedEvent {
        try await client.append(
            .routeFinished(RouteFinished(routeID: id, workoutID: workoutID, metadata: metadata)), app: app)
    }

    /// Saves a workout of the route's activity from `start` to `end`, and ends the route with it.
    /// - Returns: the workout's id.
    @discardableResult
    public func finish(
        from start: Timestamp, to end: Timestamp, metadata: [String: String] = [:]
    ) async throws -> String {
        let workoutID = UUID().uuidString
        try await client.append(
            .workoutSaved(WorkoutSaved(workoutID: workoutID, activity: activity, start: start, end: end)), app: app)
        try await finish(workout: workoutID, metadata: metadata)
        return workoutID
    }

    /// Discards the route with its points.
    @discardableResult
    public func discard() async throws -> QueuedEvent {
        try await client.append(.routeDiscarded(RouteDiscarded(routeID: id)), app: app)
    }
}
