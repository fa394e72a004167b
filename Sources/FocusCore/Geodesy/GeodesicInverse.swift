/// The inverse problem between two places after Karney: find the azimuth α₁ at the first place whose geodesic meets the
/// second one's parallel at its longitude, by Newton's method inside a bracket that falls back to bisection.
///
/// The places are mirrored so that φ₁ ≤ 0, φ₁ ≤ φ₂ ≤ −φ₁ and 0 ≤ λ₁₂ ≤ π; that leaves the distance as it is.
struct GeodesicInverse {
    /// A direction or an angle by its sine and cosine.
    struct Direction: Hashable {
        var sin: Double
        var cos: Double
        var normalized: Direction {
            let length = (sin * sin + cos * cos).squareRoot()
            return Direction(sin: sin / length, cos: cos / length)
        }
    }

    /// A number that stands for zero where a division needs one; its square is the smallest normal one.
    static let tiny = 1.491_668_146_240_041_3e-154
    static let ulp = Double.ulpOfOne

    /// Reduced latitudes β, and √(1 + e'² sin² β).
    let beta1: Direction
    let beta2: Direction
    let dn1: Double
    let dn2: Double
    /// The difference of longitude, radians, and its supplement, degrees.
    let lambda: Double
    let lambdaDirection: Direction
    let supplement: Double
    let isAtPole: Bool

    init(from a: GeodesicPosition, to b: GeodesicPosition) {
        let (difference, residue) = Self.eastward(from: a.longitude, to: b.longitude)
        lambda = difference * Trigonometry.radiansPerDegree
        let (sin, cos) = Trigonometry.sinCos(degrees: difference, residue: residue)
        lambdaDirection = Direction(sin: max(0, sin), cos: cos)
        supplement = (180 - difference) - residue

        let (outer, inner) = abs(a.latitude) < abs(b.latitude) ? (b, a) : (a, b)
        let sign: Double = outer.latitude > 0 ? -1 : 1
        let beta1 = Self.reduced(outer, sign: sign)
        var beta2 = Self.reduced(inner, sign: sign)
        // Equal or opposite latitudes must stay exactly so, or a meridional line would seem to turn.
        if beta1.cos < -beta1.sin {
            if beta2.cos == beta1.cos { beta2.sin = beta2.sin < 0 ? beta1.sin : -beta1.sin }
        } else if abs(beta2.sin) == -beta1.sin {
            beta2.cos = beta1.cos
        }
        self.beta1 = beta1
        self.beta2 = beta2
        dn1 = (1 + WGS84.secondEccentricitySquared * beta1.sin * beta1.sin).squareRoot()
        dn2 = (1 + WGS84.secondEccentricitySquared * beta2.sin * beta2.sin).squareRoot()
        isAtPole = abs(outer.latitude) == 90
    }

    private static func reduced(_ position: GeodesicPosition, sign: Double) -> Direction {
        var beta = Direction(sin: sign * (1 - WGS84.flattening) * position.sinLatitude, cos: position.cosLatitude)
            .normalized
        beta.cos = max(tiny, beta.cos)
        return beta
    }

    /// 0 … 180°, and what the subtraction rounded off.
    private static func eastward(from a: Double, to b: Double) -> (degrees: Double, residue: Double) {
        // Knuth's two-sum of b and −a.
        let sum = b - a
        let part = sum - b
        var residue = (b - (sum - part)) - (a + part)
        var degrees = sum
        if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
        if degrees < 0 { (degrees, residue) = (-degrees, -residue) }
        if degrees == 180, residue > 0 { residue = -residue }
        return (degrees, residue)
    }

    /// The distance in metres.
    var distance: Double {
        if isAtPole || lambdaDirection.sin == 0, let metres = meridional { return metres }
        if beta1.sin == 0, supplement >= WGS84.flattening * 180 { return WGS84.equatorialRadius * lambda }
        switch start {
        case .short(let metres): return metres
        case .azimuth(let alpha): return solve(from: alpha)
        }
    }

    /// The line along a meridian, unless one beside it is shorter (nearly opposite places).
    private var meridional: Double? {
        let sigma1 = Direction(sin: beta1.sin, cos: lambdaDirection.cos * beta1.cos)
        let sigma2 = beta2
        let sigma = Self.angle(from: sigma1, to: sigma2)
        let line = Line(epsilon: WGS84.thirdFlattening, sigma1: sigma1, sigma2: sigma2, sigma: sigma)
        guard sigma < Self.ulp.squareRoot() || reducedLength(line) >= 0 else { return nil }
        return sigma < 3 * Self.tiny ? 0 : max(0, line.length)
    }

    static func angle(from a: Direction, to b: Direction) -> Double {
        Trigonometry.atan2(max(0, a.cos * b.sin - a.sin * b.cos), a.cos * b.cos + a.sin * b.sin)
    }
}
