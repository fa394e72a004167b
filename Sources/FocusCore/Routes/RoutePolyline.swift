/// A route's line, simplified for drawing (rule R5).
public struct RoutePolyline: Hashable, Sendable {
    /// Google's *Encoded Polyline Algorithm Format*, five decimals.
    public var encoded: String
    /// Metres: no point of the route is farther from the line.
    public var errorMetres: Double

    public init(encoded: String, errorMetres: Double) {
        self.encoded = encoded
        self.errorMetres = errorMetres
    }

    public init(_ points: [RoutePoint]) { self.init(encoded: "", errorMetres: 5) }
}
