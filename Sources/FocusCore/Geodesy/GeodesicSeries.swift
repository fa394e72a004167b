/// Karney's expansions to the sixth order in ε, on WGS 84 (equations 15–18 and 23–25 and 41–43 of the paper). The order
/// is enough for double precision on any ellipsoid as round as the Earth.
enum GeodesicSeries {
    /// Coefficients c₁ … c₆ of Σ c_l sin 2lσ, the first six lanes.
    typealias Coefficients = SIMD8<Double>

    private static let n = WGS84.thirdFlattening

    /// The expansion parameter of a geodesic with this cos α₀ at the equator.
    static func epsilon(cosAlpha0Squared: Double) -> Double {
        let k2 = cosAlpha0Squared * WGS84.secondEccentricitySquared
        return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    }

    static func a1(_ e: Double) -> Double {
        let q = e * e
        return (1 + q * (1 / 4.0 + q * (1 / 64.0 + q / 256))) / (1 - e)
    }

    static func a2(_ e: Double) -> Double {
        let q = e * e
        return (1 - q * (3 / 4.0 + q * (7 / 64.0 + q * (11 / 256.0)))) / (1 + e)
    }

    static func c1(_ e: Double) -> Coefficients {
        let q = e * e
        return powers(e)
            * Coefficients(
                -1 / 2.0 + q * (3 / 16.0 - q / 32), -1 / 16.0 + q * (1 / 32.0 - q * (9 / 2048.0)),
                -1 / 48.0 + q * (3 / 256.0), -5 / 512.0 + q * (3 / 512.0), -7 / 1280.0, -7 / 2048.0, 0, 0)
    }

    static func c2(_ e: Double) -> Coefficients {
        let q = e * e
        return powers(e)
            * Coefficients(
                1 / 2.0 + q * (1 / 16.0 + q / 32), 3 / 16.0 + q * (1 / 32.0 + q * (35 / 2048.0)),
                5 / 48.0 + q * (5 / 256.0), 35 / 512.0 + q * (7 / 512.0), 63 / 1280.0, 77 / 2048.0, 0, 0)
    }

    static func a3(_ e: Double) -> Double {
        let e4 = 3 / 64.0 + n / 32 + e * (3 / 128.0)
        let e3 = (1 + 3 * n + n * n) / 16 + e * e4
        let e2 = 1 / 4.0 + n / 8 - 3 * n * n / 8 + e * e3
        return 1 - e * ((1 - n) / 2 + e * e2)
    }

    static func c3(_ e: Double) -> Coefficients {
        let n2 = n * n
        let first =
            (1 - n) / 4 + e * ((1 - n2) / 8 + e * ((3 + 3 * n - n2) / 64 + e * ((5 + 2 * n) / 128 + e * (3 / 128.0))))
        let second =
            (2 - 3 * n + n2) / 32 + e * ((3 - 2 * n - 3 * n2) / 64 + e * ((3 + n) / 128 + e * (5 / 256.0)))
        let third = (5 - 9 * n + 5 * n2) / 192 + e * ((9 - 10 * n) / 384 + e * (7 / 512.0))
        let fourth = (7 - 14 * n) / 512 + e * (7 / 512.0)
        return powers(e) * Coefficients(first, second, third, fourth, 21 / 2560.0, 0, 0, 0)
    }

    private static func powers(_ e: Double) -> Coefficients {
        let e2 = e * e
        return Coefficients(e, e2, e2 * e, e2 * e2, e2 * e2 * e, e2 * e2 * e2, 0, 0)
    }

    /// Σ c_l sin 2lσ, by Clenshaw's summation.
    static func sum(_ c: Coefficients, _ sigma: GeodesicInverse.Direction) -> Double {
        let twice = 2 * (sigma.cos - sigma.sin) * (sigma.cos + sigma.sin)
        var (this, last) = (0.0, 0.0)
        for index in stride(from: 5, through: 0, by: -1) { (this, last) = (twice * this - last + c[index], this) }
        return 2 * sigma.sin * sigma.cos * this
    }
}
