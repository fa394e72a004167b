/// Distances along the WGS 84 ellipsoid (rule R5).
///
/// Short lines, nearly all there are in a route, take a closed formula; the others Karney's solution of the inverse
/// problem, which converges everywhere, near-antipodal places included (C. F. F. Karney, *Algorithms for geodesics*,
/// J. Geodesy 87, 2013).
public enum Geodesic {
    /// Metres. Straight through the ellipsoid, this far, the closed formula is within 1e-10 of the length above it:
    /// what it leaves out grows with the fourth power, and is 5e-13 here.
    static let shortChord = 20_000.0

    /// Metres by the shortest way over the ellipsoid; at least 0, and exact to about 1e-9 m for neighbouring places and
    /// 1e-8 m for opposite ones.
    ///
    /// - Precondition: both places are on the globe (`RouteFilter` sees to that).
    public static func distance(from a: GeodesicPosition, to b: GeodesicPosition) -> Double {
        shortDistance(from: a, to: b) ?? longDistance(from: a, to: b)
    }

    /// Karney's solution, for lines of any length.
    static func longDistance(from a: GeodesicPosition, to b: GeodesicPosition) -> Double {
        GeodesicInverse(from: a, to: b).distance
    }

    /// Nil when the places are farther apart than `shortChord`.
    ///
    /// The chord c through the ellipsoid follows from the differences of the Cartesian coordinates; they are taken from
    /// the differences of the angles, not from the coordinates, so that a millimetre keeps its digits. The arc above a
    /// chord is c (1 + c² / 24 R² + …), with R after Euler from the two principal radii and the chord's direction. R
    /// changes along the line, but by as much on either side of its middle.
    @inline(__always)
    static func shortDistance(from a: GeodesicPosition, to b: GeodesicPosition) -> Double? {
        let latitudes = (b.latitude - a.latitude) * (Trigonometry.radiansPerDegree / 2)
        // Half a degree of latitude is more than 20 km; the tangent's series below would not reach farther.
        guard abs(latitudes) < 0.005 else { return nil }
        let square = latitudes * latitudes
        let tangent = latitudes + latitudes * square * (1 / 3.0 + square * (2 / 15.0))
        let sines = (a.cosLatitude + b.cosLatitude) * tangent
        let cosines = -(a.sinLatitude + b.sinLatitude) * tangent
        // N is the radius of curvature in the prime vertical, here in equatorial radii.
        let inverses = a.inverseCurvature * b.inverseCurvature
        let curvatures = a.curvature + b.curvature
        let deltaN = WGS84.eccentricitySquared * sines * (a.sinLatitude + b.sinLatitude) * inverses / curvatures
        let outward = b.inverseCurvature * cosines + a.cosLatitude * deltaN
        let upward =
            (1 - WGS84.eccentricitySquared) * (b.inverseCurvature * sines + a.sinLatitude * deltaN)
        let sine = sineOfHalf(eastward(from: a.longitude, to: b.longitude))
        let north = outward * outward + upward * upward
        let east = 4 * sine * sine * (a.cosLatitude * b.cosLatitude * inverses)
        let chordSquare = north + east
        guard chordSquare > 0 else { return 0 }
        let chord = chordSquare.squareRoot()
        guard chord <= shortChord / WGS84.equatorialRadius else { return nil }
        let middle = curvatures / 2
        let bend = north * (middle * middle * middle / (1 - WGS84.eccentricitySquared)) + east * middle
        return WGS84.equatorialRadius * (chord + bend * bend / (24 * chord))
    }

    /// Degrees by the shorter way around, without losing digits at the antimeridian.
    private static func eastward(from a: Double, to b: Double) -> Double {
        let difference = b - a
        guard abs(difference) > 180 else { return difference }
        return difference < 0 ? (180 - a) + (180 + b) : -((180 + a) + (180 - b))
    }

    private static func sineOfHalf(_ degrees: Double) -> Double {
        let x = degrees * (Trigonometry.radiansPerDegree / 2)
        guard abs(x) < 0.01 else { return Trigonometry.sinCos(degrees: degrees / 2).sin }
        let square = x * x
        return x - x * square * (1 / 6.0 - square * (1 / 120.0 - square / 5_040.0))
    }
}
