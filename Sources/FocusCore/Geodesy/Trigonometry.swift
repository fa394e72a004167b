/// Elementary functions in plain IEEE 754 arithmetic. The C library's differ in the last bit from one platform and
/// version to the next, and a fold must give the same bytes everywhere (rule E6, S9); these do, to about one unit in
/// the last place. Square roots are exact by the standard and need nothing.
enum Trigonometry {
    static let radiansPerDegree = Double.pi / 180

    /// Sine and cosine of `degrees + residue`, exact at multiples of 90°.
    ///
    /// - Parameters:
    ///   - degrees: −180 … 180.
    ///   - residue: a correction far below the precision of `degrees`.
    static func sinCos(degrees: Double, residue: Double = 0) -> (sin: Double, cos: Double) {
        let angle = abs(degrees)
        let extra = degrees < 0 ? -residue : residue
        // The subtractions are exact: both numbers are within a factor of two, or multiples of a large power of two.
        let (sin, cos): (Double, Double)
        if angle <= 45 {
            (sin, cos) = kernel((angle + extra) * radiansPerDegree)
        } else if angle <= 135 {
            let (s, c) = kernel(((angle - 90) + extra) * radiansPerDegree)
            (sin, cos) = (c, -s)
        } else {
            let (s, c) = kernel(((180 - angle) - extra) * radiansPerDegree)
            (sin, cos) = (s, -c)
        }
        return (degrees < 0 ? -sin : sin, cos)
    }

    /// - Parameter radians: −2π … 2π; the reduction is not meant for more.
    static func sinCos(radians: Double) -> (sin: Double, cos: Double) {
        let quarters = (radians / (.pi / 2)).rounded()
        // π/2 in two parts; the first has enough trailing zeros to be multiplied exactly by a small integer.
        let reduced = (radians - quarters * 1.570_796_326_734_125_6) - quarters * 6.077_100_506_506_192e-11
        let (s, c) = kernel(reduced)
        switch Int(quarters) & 3 {
        case 0: return (s, c)
        case 1: return (c, -s)
        case 2: return (-s, -c)
        default: return (-c, s)
        }
    }

    /// The Taylor series for |x| ≤ π/4, where the first term left out is below 2^−60.
    @inline(__always)
    private static func kernel(_ x: Double) -> (sin: Double, cos: Double) {
        let z = x * x
        var s = 1 / 355_687_428_096_000.0
        s = s * z - 1 / 1_307_674_368_000.0
        s = s * z + 1 / 6_227_020_800.0
        s = s * z - 1 / 39_916_800.0
        s = s * z + 1 / 362_880.0
        s = s * z - 1 / 5_040.0
        s = s * z + 1 / 120.0
        s = s * z - 1 / 6.0
        var c = 1 / 20_922_789_888_000.0
        c = c * z - 1 / 87_178_291_200.0
        c = c * z + 1 / 479_001_600.0
        c = c * z - 1 / 3_628_800.0
        c = c * z + 1 / 40_320.0
        c = c * z - 1 / 720.0
        c = c * z + 1 / 24.0
        return (x + x * (z * s), 1 - (z / 2 - z * z * c))
    }

    /// The angle of the vector (x, y), −π … π; 0 for the null vector.
    static func atan2(_ y: Double, _ x: Double) -> Double {
        let (opposite, adjacent) = (abs(y), abs(x))
        let acute: Double
        if opposite <= adjacent {
            acute = adjacent == 0 ? 0 : arctangent(opposite, adjacent)
        } else {
            acute = .pi / 2 - arctangent(adjacent, opposite)
        }
        let angle = x < 0 ? .pi - acute : acute
        return y < 0 ? -angle : angle
    }

    /// atan(k / 4) for k = 0 … 4.
    private static let steps = (
        0.0, 0.244_978_663_126_864_14, 0.463_647_609_000_806_1, 0.643_501_108_793_284_4, Double.pi / 4
    )

    /// atan(y / x) for 0 ≤ y ≤ x, x > 0: atan(k/4) + atan(u) with |u| ≤ 1/8, and the series of the latter.
    private static func arctangent(_ y: Double, _ x: Double) -> Double {
        let k = (4 * y / x).rounded()
        let u = (y - k / 4 * x) / (x + k / 4 * y)
        let z = u * u
        var sum = 1 / 21.0
        for divisor in stride(from: 19.0, through: 3, by: -2) { sum = 1 / divisor - z * sum }
        let small = u - u * (z * sum)
        switch k {
        case 0: return small
        case 1: return steps.1 + small
        case 2: return steps.2 + small
        case 3: return steps.3 + small
        default: return steps.4 + small
        }
    }

    /// The real cube root, by Newton's method from a guess within a factor of two.
    static func cubeRoot(_ x: Double) -> Double {
        guard x != 0 else { return 0 }
        let magnitude = abs(x)
        let third = Int((Double(magnitude.exponent) / 3).rounded(.down))
        var root = Double(sign: .plus, exponent: third, significand: 1.4)
        for _ in 0..<7 { root -= (root - magnitude / (root * root)) / 3 }
        return x < 0 ? -root : root
    }
}
