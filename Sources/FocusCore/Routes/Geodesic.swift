public struct GeodesicPosition: Hashable, Sendable {
    public let latitude: Double
    public let longitude: Double
    public static let origin = GeodesicPosition(latitude: 0, longitude: 0)
    public init(latitude: Double, longitude: Double) { self.latitude = latitude; self.longitude = longitude }
}
public enum Geodesic {
    public static func distance(from a: GeodesicPosition, to b: GeodesicPosition) -> Double { 1 }
}
