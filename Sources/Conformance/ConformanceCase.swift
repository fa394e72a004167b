/// One demand of a rule, and a test of whether a server meets it.
public struct ConformanceCase: Sendable {
    /// The rule's name in Schema/rules, for example `P2`.
    public let rule: String
    /// The demand, in one sentence.
    public let title: String
    /// What the suite must be given for this case; without one of these the case is skipped.
    public let needs: [ConformanceNeed]
    /// Whether the case mostly waits for a time that the protocol names. Such a case runs beside all others, from the
    /// beginning.
    public let isLong: Bool
    /// Plays the case. Returns the seconds that it measured, if the rule names a time; throws when the server does not
    /// meet the demand.
    let body: @Sendable (CaseContext) async throws -> Double?

    init(
        _ rule: String, _ title: String, needs: [ConformanceNeed] = [], isLong: Bool = false,
        _ body: @escaping @Sendable (CaseContext) async throws -> Void
    ) {
        self.rule = rule
        self.title = title
        self.needs = needs
        self.isLong = isLong
        self.body = { context in
            try await body(context)
            return nil
        }
    }

    /// A case of a rule that names a time. The machine may be loaded, so the limit is wider than the rule's time; the
    /// title says so, and the result has the time that was measured.
    /// - Parameters:
    ///   - limit: the case fails from so many seconds on.
    ///   - measured: returns the measured time in seconds.
    init(
        _ rule: String, _ title: String, needs: [ConformanceNeed] = [], limit: Double,
        measured: @escaping @Sendable (CaseContext) async throws -> Double
    ) {
        self.rule = rule
        self.title = "\(title) (fails from \(Int(limit)) s on)"
        self.needs = needs
        isLong = false
        body = { context in
            let seconds = try await measured(context)
            try expect(seconds < limit, "it took \(seconds) s")
            return seconds
        }
    }

    /// Whether no other case may run beside this one.
    var isExclusive: Bool { needs.contains { $0.hurts } }
}
