extension GeodesicInverse {
    enum Start {
        /// The line is so short that its length, in metres, is known already.
        case short(Double)
        /// A first azimuth α₁, close enough for Newton's method.
        case azimuth(Direction)
    }

    /// The start from spherical trigonometry on the auxiliary sphere (equations 48–51); near the antipode, where that
    /// says nothing, from the astroid (equations 55–57).
    var start: Start {
        let sinBeta12 = beta2.sin * beta1.cos - beta2.cos * beta1.sin
        let cosBeta12 = beta2.cos * beta1.cos + beta2.sin * beta1.sin
        let isShort = cosBeta12 >= 0 && sinBeta12 < 0.5 && beta2.cos * lambda < 0.5
        var omega = lambdaDirection
        var dnMiddle = 1.0
        if isShort {
            let sines = (beta1.sin + beta2.sin) * (beta1.sin + beta2.sin)
            let cosines = (beta1.cos + beta2.cos) * (beta1.cos + beta2.cos)
            dnMiddle = (1 + WGS84.secondEccentricitySquared * sines / (sines + cosines)).squareRoot()
            let (sin, cos) = Trigonometry.sinCos(radians: lambda / ((1 - WGS84.flattening) * dnMiddle))
            omega = Direction(sin: sin, cos: cos)
        }
        let alpha = spherical(omega)
        let sinSigma = (alpha.sin * alpha.sin + alpha.cos * alpha.cos).squareRoot()
        let cosSigma = beta1.sin * beta2.sin + beta1.cos * beta2.cos * omega.cos
        if isShort, sinSigma < Self.shortArc {
            return .short(Trigonometry.atan2(sinSigma, cosSigma) * WGS84.polarRadius * dnMiddle)
        }
        let reach = 6 * WGS84.thirdFlattening * .pi * beta1.cos * beta1.cos
        let isNearAntipode = cosSigma < 0 && sinSigma < reach
        let guess = isNearAntipode ? antipodal ?? alpha : alpha
        return .azimuth(guess.sin > 0 ? guess.normalized : Direction(sin: 1, cos: 0))
    }

    /// Below this arc the sphere of the mean radius is exact enough (Karney's etol2).
    private static let shortArc =
        0.1 * ulp.squareRoot() / (max(0.001, WGS84.flattening) * (1 - WGS84.flattening / 2) / 2).squareRoot()

    /// The azimuth to a place ω east on the sphere, not normalized: its length is the sine of the arc.
    private func spherical(_ omega: Direction) -> Direction {
        let curve = beta2.cos * beta1.sin * omega.sin * omega.sin
        let cos =
            omega.cos >= 0
            ? beta2.sin * beta1.cos - beta2.cos * beta1.sin + curve / (1 + omega.cos)
            : beta2.sin * beta1.cos + beta2.cos * beta1.sin - curve / (1 - omega.cos)
        return Direction(sin: beta2.cos * omega.sin, cos: cos)
    }

    private var antipodal: Direction? {
        let cosAlpha0Squared = beta1.sin * beta1.sin
        let a3 = GeodesicSeries.a3(GeodesicSeries.epsilon(cosAlpha0Squared: cosAlpha0Squared))
        let lambdaScale = WGS84.flattening * beta1.cos * a3 * .pi
        let betaScale = lambdaScale * beta1.cos
        let x = Trigonometry.atan2(-lambdaDirection.sin, -lambdaDirection.cos) / lambdaScale
        let sum = beta2.sin * beta1.cos + beta2.cos * beta1.sin
        let y = sum / betaScale
        if y > -200 * Self.ulp, x > -1 - 1000 * Self.ulp.squareRoot() {
            let sin = min(1, -x)
            return Direction(sin: sin, cos: -(1 - sin * sin).squareRoot())
        }
        let k = Self.astroid(x, y)
        let (sin, cos) = Trigonometry.sinCos(radians: lambdaScale * (-x * k / (1 + k)))
        return Direction(
            sin: beta2.cos * sin, cos: sum - beta2.cos * beta1.sin * sin * sin / (1 + cos))
    }

    /// The positive root of κ⁴ + 2κ³ − (x² + y² − 1)κ² − 2y²κ − y² (equation 55).
    private static func astroid(_ x: Double, _ y: Double) -> Double {
        let p = x * x
        let q = y * y
        let r = (p + q - 1) / 6
        guard q != 0 || r > 0 else { return 0 }
        let s = p * q / 4
        let r3 = r * r * r
        let discriminant = s * (s + 2 * r3)
        var u = r
        if discriminant >= 0 {
            let root = discriminant.squareRoot()
            let t = Trigonometry.cubeRoot(s + r3 + (s + r3 < 0 ? -root : root))
            u += t + (t != 0 ? r * r / t : 0)
        } else {
            let angle = Trigonometry.atan2((-discriminant).squareRoot(), -(s + r3))
            u += 2 * r * Trigonometry.sinCos(radians: angle / 3).cos
        }
        let v = (u * u + q).squareRoot()
        let sum = u < 0 ? q / (v - u) : u + v
        let w = (sum - q) / (2 * v)
        return sum / ((sum + w * w).squareRoot() + w)
    }
}
