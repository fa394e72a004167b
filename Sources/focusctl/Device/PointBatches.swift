import FocusCore
import FocusWire

/// Puts points into as few events as the limits allow (rule E5).
enum PointBatches {
    static func events(routeID: String, _ points: [RoutePoint]) -> [EventBody] {
        stride(from: 0, to: points.count, by: EventLimits.pointsPerBatch).flatMap { start in
            fitting(routeID, points[start..<min(start + EventLimits.pointsPerBatch, points.count)])
        }
    }

    /// Halves the points until each payload is small enough.
    private static func fitting(_ routeID: String, _ points: ArraySlice<RoutePoint>) -> [EventBody] {
        let body = EventBody.routeLocationsInserted(RouteLocationsInserted(routeID: routeID, points: Array(points)))
        if points.count < 2 || PayloadCodec.encode(body).count <= EventLimits.payloadBytes { return [body] }
        let middle = points.startIndex + points.count / 2
        return fitting(routeID, points[..<middle]) + fitting(routeID, points[middle...])
    }
}
