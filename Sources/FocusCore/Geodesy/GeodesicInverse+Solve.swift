extension GeodesicInverse {
    /// A geodesic between two arcs σ₁ and σ₂ from its node.
    struct Line {
        let epsilon: Double
        let sigma1: Direction
        let sigma2: Direction
        let sigma: Double

        /// Metres (equation 7).
        var length: Double {
            let c1 = GeodesicSeries.c1(epsilon)
            let wave = GeodesicSeries.sum(c1, sigma2) - GeodesicSeries.sum(c1, sigma1)
            return WGS84.polarRadius * GeodesicSeries.a1(epsilon) * (sigma + wave)
        }
    }

    /// m₁₂ / b (equations 38–40); negative past the conjugate point, where a line is no longer the shortest.
    func reducedLength(_ line: Line) -> Double {
        let (s1, s2) = (line.sigma1, line.sigma2)
        let a1 = GeodesicSeries.a1(line.epsilon)
        let a2 = GeodesicSeries.a2(line.epsilon)
        let waves = a1 * GeodesicSeries.c1(line.epsilon) - a2 * GeodesicSeries.c2(line.epsilon)
        let j = (a1 - a2) * line.sigma + (GeodesicSeries.sum(waves, s2) - GeodesicSeries.sum(waves, s1))
        return dn2 * (s1.cos * s2.sin) - dn1 * (s1.sin * s2.cos) - s1.cos * s2.cos * j
    }

    /// How far the geodesic that leaves with azimuth α₁ misses the second longitude where it meets the second parallel,
    /// the line up to there, and how the miss changes with α₁.
    private struct Attempt {
        var miss: Double
        var slope: Double
        var line: Line
    }

    private func attempt(_ azimuth: Direction) -> Attempt {
        var alpha1 = azimuth
        // An equatorial line heading exactly east has no node to count σ from.
        if beta1.sin == 0, alpha1.cos == 0 { alpha1.cos = -Self.tiny }
        let sinAlpha0 = alpha1.sin * beta1.cos
        let meridional = alpha1.sin * beta1.sin
        let cosAlpha0Squared = alpha1.cos * alpha1.cos + meridional * meridional
        let omega1 = Direction(sin: sinAlpha0 * beta1.sin, cos: alpha1.cos * beta1.cos)
        let sigma1 = Direction(sin: beta1.sin, cos: omega1.cos).normalized

        let cosAlpha2 = cosineAtSecond(alpha1)
        let omega2 = Direction(sin: sinAlpha0 * beta2.sin, cos: cosAlpha2 * beta2.cos)
        let sigma2 = Direction(sin: beta2.sin, cos: omega2.cos).normalized
        let sigma = Self.angle(from: sigma1, to: sigma2)

        let sinOmega = max(0, omega1.cos * omega2.sin - omega1.sin * omega2.cos)
        let cosOmega = omega1.cos * omega2.cos + omega1.sin * omega2.sin
        let target = lambdaDirection
        let eta = Trigonometry.atan2(
            sinOmega * target.cos - cosOmega * target.sin, cosOmega * target.cos + sinOmega * target.sin)
        let epsilon = GeodesicSeries.epsilon(cosAlpha0Squared: cosAlpha0Squared)
        let c3 = GeodesicSeries.c3(epsilon)
        let wave = GeodesicSeries.sum(c3, sigma2) - GeodesicSeries.sum(c3, sigma1)
        let lag = WGS84.flattening * GeodesicSeries.a3(epsilon) * sinAlpha0 * (sigma + wave)
        let line = Line(epsilon: epsilon, sigma1: sigma1, sigma2: sigma2, sigma: sigma)
        let slope =
            cosAlpha2 == 0
            ? -2 * (1 - WGS84.flattening) * dn1 / beta1.sin
            : reducedLength(line) * (1 - WGS84.flattening) / (cosAlpha2 * beta2.cos)
        return Attempt(miss: eta - lag, slope: slope, line: line)
    }

    /// cos α₂ by Clairaut's relation (equation 45), the difference of squares taken where it loses least.
    private func cosineAtSecond(_ alpha1: Direction) -> Double {
        guard beta2.cos != beta1.cos || abs(beta2.sin) != -beta1.sin else { return abs(alpha1.cos) }
        let difference =
            beta1.cos < -beta1.sin
            ? (beta2.cos - beta1.cos) * (beta1.cos + beta2.cos)
            : (beta1.sin - beta2.sin) * (beta1.sin + beta2.sin)
        let along = alpha1.cos * beta1.cos
        return max(0, along * along + difference).squareRoot() / beta2.cos
    }

    /// The length in metres. It takes Newton's steps for as long as they stay in the bracket and converge, then
    /// bisects: with 20 steps of the former and as many of the latter as there are bits, it ends.
    func solve(from start: Direction) -> Double {
        var alpha = start
        var low = Direction(sin: Self.tiny, cos: 1)
        var high = Direction(sin: Self.tiny, cos: -1)
        var isLastStep = false
        var isBisected = false
        var now = attempt(alpha)
        for step in 1...83 {
            if isBisected || !(abs(now.miss) >= (isLastStep ? 8 : 1) * Self.ulp) { break }
            if now.miss > 0, step > 20 || alpha.cos / alpha.sin > high.cos / high.sin { high = alpha }
            if now.miss < 0, step > 20 || alpha.cos / alpha.sin < low.cos / low.sin { low = alpha }
            if step < 20, now.slope > 0, let next = Self.turn(alpha, by: -now.miss / now.slope) {
                alpha = next
                isLastStep = abs(now.miss) <= 16 * Self.ulp
            } else {
                alpha = Direction(sin: (low.sin + high.sin) / 2, cos: (low.cos + high.cos) / 2).normalized
                isLastStep = false
                isBisected =
                    abs(low.sin - alpha.sin) + (low.cos - alpha.cos) < Self.ulp
                    || abs(alpha.sin - high.sin) + (alpha.cos - high.cos) < Self.ulp
            }
            now = attempt(alpha)
        }
        return max(0, now.line.length)
    }

    /// Nil when the azimuth would leave 0 … π.
    private static func turn(_ alpha: Direction, by angle: Double) -> Direction? {
        guard abs(angle) < .pi else { return nil }
        let (sin, cos) = Trigonometry.sinCos(radians: angle)
        let turned = Direction(sin: alpha.sin * cos + alpha.cos * sin, cos: alpha.cos * cos - alpha.sin * sin)
        return turned.sin > 0 ? turned.normalized : nil
    }
}
