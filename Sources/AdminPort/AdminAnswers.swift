/// Answers requests: decides whether, and asks the source.
struct AdminAnswers: Sendable {
    let source: any AdminSource
    let access: AdminAccess

    /// The answer to a request, if nothing has to be waited for: whether the server lives and is ready is told on the
    /// port's own event loop, whatever else waits for a thread.
    func answerAtOnce(_ request: AdminRequest) -> AdminResponse? {
        if let refusal = access.refusal(of: request) { return refusal }
        switch request.route {
        case .live: return live()
        case .ready: return ready(isVerbose: request.asks(for: "verbose"))
        case .metrics: return nil
        case .question: return request.limit == nil ? .badLimit : nil
        case nil: return .notFound
        }
    }

    /// The answer to a request for which `answerAtOnce` has none.
    func answer(_ request: AdminRequest) async -> AdminResponse {
        switch request.route {
        case .metrics: return .metrics(await source.metrics())
        case .question(let question):
            guard let limit = request.limit else { return .badLimit }
            return await answer(question, limit: limit, for: access.name(of: request) ?? "")
        case .live, .ready, nil: return answerAtOnce(request) ?? .notFound
        }
    }

    private func answer(_ question: AdminQuestion, limit: Int, for name: String) async -> AdminResponse {
        do {
            return .json(200, try await source.answer(question, limit: limit, for: name))
        } catch let error as AdminUnavailable {
            return .error(503, "unavailable", error.reason)
        } catch {
            return .error(500, "internal", "The server could not answer.")
        }
    }

    private func live() -> AdminResponse {
        let hanging = source.hanging()
        return hanging.isEmpty ? .text(200, "ok\n") : .text(503, "hangs: \(hanging.joined(separator: ", "))\n")
    }

    private func ready(isVerbose: Bool) -> AdminResponse {
        let checks = source.readiness()
        let failed = checks.filter { !$0.isPassed }
        let end = failed.isEmpty ? "ok\n" : "not ready: \(failed.map(\.name).joined(separator: ", "))\n"
        let lines = checks.map { "[\($0.isPassed ? "+" : "-")] \($0.name): \($0.detail)\n" }.joined()
        return .text(failed.isEmpty ? 200 : 503, (isVerbose ? lines : "") + end)
    }
}
