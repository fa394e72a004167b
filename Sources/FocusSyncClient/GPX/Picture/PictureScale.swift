import Foundation

/// How the values of an axis lie on pixels, and where its round numbers are.
struct PictureScale {
    /// The values at both ends; the second is the greater one.
    let values: (Double, Double)
    /// The pixels at both ends. The second may be the smaller one.
    let pixels: (Double, Double)
    /// The round numbers within the values, ascending.
    let marks: [Double]
    /// How far one is from the next.
    let step: Double

    /// - Parameters:
    ///   - low: the least value; widened to round numbers where `isWidened`, as is the greatest.
    ///   - high: the greatest value. Where it is not greater, the axis gets a little longer.
    ///   - count: about so many marks.
    init(from low: Double, to high: Double, on pixels: (Double, Double), marks count: Int, isWidened: Bool) {
        let length = max(high - low, max(high.magnitude, 1) * 1e-9)
        let step = Self.round(length / Double(count))
        var (first, last) = (low, low + length)
        if isWidened { (first, last) = ((first / step).rounded(.down) * step, (last / step).rounded(.up) * step) }
        let start = (first / step).rounded(.up)
        let end = (last / step + 1e-9).rounded(.down)
        marks = stride(from: start, through: end, by: 1).prefix(100).map { $0 * step }
        (self.values, self.pixels, self.step) = ((first, last), pixels, step)
    }

    /// The least of 1, 2 and 5 times a power of ten that is not below `value`, which is above 0.
    static func round(_ value: Double) -> Double {
        let power = pow(10, log10(value).rounded(.down))
        for factor in [1.0, 2, 5] where factor * power >= value * (1 - 1e-9) { return factor * power }
        return 10 * power
    }

    func pixel(_ value: Double) -> Double {
        let fraction = (value - values.0) / (values.1 - values.0)
        return pixels.0 + (pixels.1 - pixels.0) * fraction
    }

    /// A mark's number, with as many decimals as the step has.
    func text(_ mark: Double) -> String { Self.text(mark, step: step) }

    /// A number with as many decimals as a step needs.
    static func text(_ value: Double, step: Double) -> String {
        let decimals = Int(exactly: max(0, -log10(step * 1.000_001).rounded(.down))) ?? 0
        return String(format: "%.\(min(decimals, 6))f", value == 0 ? 0 : value)
    }
}
