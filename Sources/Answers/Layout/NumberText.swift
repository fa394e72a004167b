/// Numbers for people. None of them traps: values come from rows, and a row may hold anything.
enum NumberText {
    /// Rounded to so many digits after the point; at least one stands there: `2.0`.
    static func decimal(_ number: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        return "\((number * scale).rounded() / scale)"
    }

    /// Rounded to a whole number: `2`.
    static func whole(_ number: Double) -> String {
        Int(exactly: number.rounded()).map(String.init) ?? "\(number)"
    }
}
