/// Answers requests: decides whether, and asks the source.
struct AdminAnswers: Sendable {
    let source: any AdminSource
    let access: AdminAccess

    func answer(_ request: AdminRequest) async -> AdminResponse {
        if let refusal = access.refusal(of: request) { return refusal }
        switch request.route {
        case .live: return .text(200, "ok\n")
        case .ready: return ready(isVerbose: request.asks(for: "verbose"))
        case .metrics: return .metrics(await source.metrics())
        case nil: return .error(404, "not_found", "There is nothing at that path.")
        }
    }

    private func ready(isVerbose: Bool) -> AdminResponse {
        let checks = source.readiness()
        let failed = checks.filter { !$0.isPassed }
        let end = failed.isEmpty ? "ok\n" : "not ready: \(failed.map(\.name).joined(separator: ", "))\n"
        let lines = checks.map { "[\($0.isPassed ? "+" : "-")] \($0.name): \($0.detail)\n" }.joined()
        return .text(failed.isEmpty ? 200 : 503, (isVerbose ? lines : "") + end)
    }
}
