/// A length in whole units of 2^−30 m, about a nanometre: sums are the same in whatever order and groups they are made,
/// which sums of floating-point metres are not (rule E6). Sums saturate at 2^33 m, 8.6 million km.
struct RouteLength: Hashable, Comparable, Sendable {
    private static let unitsPerMetre = 0x1p30

    private(set) var units: Int64

    static let zero = RouteLength(units: 0)
    /// At which sums saturate.
    static let greatest = RouteLength(units: .max)

    private init(units: Int64) { self.units = units }

    /// Rounds to the nearest unit.
    ///
    /// - Precondition: at least 0, and below 2^33: no two places, and no two altitudes, are so far apart.
    init(metres: Double) { units = Int64((metres * Self.unitsPerMetre).rounded()) }

    init(kilometres: Int) { units = Int64(kilometres) * 1_000 << 30 }

    var metres: Double { Double(units) / Self.unitsPerMetre }

    /// How many full kilometres it has.
    var kilometres: Int { Int(units / (1_000 << 30)) }

    /// Adds lengths that are not negative; saturates.
    static func + (a: Self, b: Self) -> Self {
        let (sum, overflow) = a.units.addingReportingOverflow(b.units)
        return Self(units: overflow ? .max : sum)
    }

    static func += (a: inout Self, b: Self) { a = a + b }

    /// - Precondition: `b` is not greater than `a`.
    static func - (a: Self, b: Self) -> Self { Self(units: a.units - b.units) }

    static func < (a: Self, b: Self) -> Bool { a.units < b.units }
}
