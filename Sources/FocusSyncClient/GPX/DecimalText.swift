/// Writes numbers without an exponent: as XML Schema's `decimal`, which is valid JSON too.
enum DecimalText {
    /// The fewest digits that give `number` back. A number below 1e-7 (no degree or metre is measured so finely) is
    /// rounded to 15 decimals, because few readers accept hundreds.
    ///
    /// - Precondition: finite, and below 2^53: beyond, Swift writes an exponent too.
    static func text(_ number: Double) -> String {
        let magnitude = number.magnitude
        let sign = number < 0 ? "-" : ""
        if magnitude < 1e-7 {
            let fraction = String(Int64((magnitude * 1e15).rounded()))
            return fraction == "0" ? "0" : sign + decimal(fraction, digits: 15)
        }
        let parts = magnitude.description.split(separator: "e")
        guard parts.count == 2, let power = Int(parts[1]), power < 0 else {
            return sign + (parts[0].hasSuffix(".0") ? parts[0].dropLast(2) : parts[0])
        }
        // One digit stands before the point.
        let digits = parts[0].filter { $0 != "." }
        return sign + decimal(digits, digits: digits.count - 1 - power)
    }

    /// `0.` and so many decimals, without trailing zeros.
    private static func decimal(_ fraction: String, digits: Int) -> String {
        var text = "0." + String(repeating: "0", count: max(0, digits - fraction.count)) + fraction
        while text.last == "0" { text.removeLast() }
        return text
    }
}
