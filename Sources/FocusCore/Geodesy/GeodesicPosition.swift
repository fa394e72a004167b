/// A place on the ellipsoid with what every segment from or to it needs. Along a route each place ends one segment and
/// begins the next, so its sine and root are computed once.
public struct GeodesicPosition: Hashable, Sendable {
    /// Degrees north, −90 … 90.
    public let latitude: Double
    /// Degrees east, −180 … 180.
    public let longitude: Double
    let sinLatitude: Double
    let cosLatitude: Double
    /// √(1 − e² sin² φ): the equatorial radius divided by the radius of curvature in the prime vertical.
    let curvature: Double
    let inverseCurvature: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        (sinLatitude, cosLatitude) = Trigonometry.sinCos(degrees: latitude)
        curvature = (1 - WGS84.eccentricitySquared * sinLatitude * sinLatitude).squareRoot()
        inverseCurvature = 1 / curvature
    }

    static let origin = GeodesicPosition(latitude: 0, longitude: 0)
}

/// The World Geodetic System 1984's ellipsoid.
enum WGS84 {
    /// Metres.
    static let equatorialRadius = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    static let polarRadius = equatorialRadius * (1 - flattening)
    static let eccentricitySquared = flattening * (2 - flattening)
    static let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)
    static let thirdFlattening = flattening / (2 - flattening)
}
