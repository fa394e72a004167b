/// Plays cases against a server and collects their results.
public struct ConformanceRun: Sendable {
    /// How many cases run at the same time; those that mostly wait (`isLong`) run besides.
    private static let width = 6
    /// A case that takes longer fails, in seconds. The longest case waits for three heartbeats; the rest is for a
    /// loaded machine.
    private static let limitSeconds = 900.0

    private let target: ConformanceTarget
    private let cases: [ConformanceCase]

    public init(_ cases: [ConformanceCase] = Conformance.cases, on target: ConformanceTarget) {
        self.cases = cases
        self.target = target
    }

    /// Opens one session and ends it.
    /// - Throws: why no session can be opened, as a text for people.
    public static func probe(_ target: ConformanceTarget) async throws {
        _ = try await CaseContext(target).open(.ofNewUser())
    }

    /// Plays all cases.
    /// - Parameter finished: called for each case when it is done.
    /// - Returns: a result for each case, in their order.
    public func results(finished: @escaping @Sendable (CaseResult) -> Void = { _ in }) async -> [CaseResult] {
        let context = CaseContext(target)
        // In a case with needs it matters which server a command hurts, and which is the second one.
        let pinned = context.pinned
        var results: [Int: CaseResult] = [:]
        func record(_ index: Int, _ result: CaseResult) {
            results[index] = result
            finished(result)
        }
        await withTaskGroup(of: (Int, CaseResult).self) { group in
            var short: [Int] = []
            var busy = 0
            for (index, one) in cases.enumerated() where !one.isExclusive {
                if one.isLong {
                    group.addTask { (index, await play(one, one.needs.isEmpty ? context : pinned)) }
                } else {
                    short.append(index)
                }
            }
            var waiting = short[...]
            func startNext() {
                guard let index = waiting.popFirst() else { return }
                busy += 1
                let one = cases[index]
                group.addTask { (index, await play(one, one.needs.isEmpty ? context : pinned)) }
            }
            while busy < Self.width, !waiting.isEmpty { startNext() }
            for await (index, result) in group {
                record(index, result)
                if !cases[index].isLong { startNext() }
            }
        }
        for (index, one) in cases.enumerated() where one.isExclusive { record(index, await play(one, pinned)) }
        return cases.indices.compactMap { results[$0] }
    }

    private func play(_ one: ConformanceCase, _ context: CaseContext) async -> CaseResult {
        let missing = one.needs.filter { !target.has($0) }
        guard missing.isEmpty else {
            let reason = "needs " + missing.map(\.option).joined(separator: " and ")
            return CaseResult(rule: one.rule, title: one.title, outcome: .skipped(reason), seconds: 0)
        }
        let clock = ContinuousClock()
        let begin = clock.now
        let (outcome, measured) = await outcome(one, context)
        return CaseResult(
            rule: one.rule, title: one.title, outcome: outcome, seconds: (clock.now - begin).inSeconds,
            measuredSeconds: measured)
    }

    private func outcome(
        _ one: ConformanceCase, _ context: CaseContext
    ) async -> (outcome: CaseResult.Outcome, measured: Double?) {
        do {
            let measured = try await withThrowingTaskGroup(of: Double?.self) { group in
                group.addTask { try await one.body(context) }
                group.addTask {
                    try await Task.sleep(for: .seconds(Self.limitSeconds))
                    throw CaseFailure("not done after \(Int(Self.limitSeconds)) s")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            return (.passed, measured)
        } catch {
            return (.failed("\(error)"), nil)
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
