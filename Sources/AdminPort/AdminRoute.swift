/// Everything that the port answers. What is not here is not there.
enum AdminRoute: Hashable, CaseIterable {
    case live, ready, metrics
    case question(AdminQuestion)

    static let allCases: [AdminRoute] = [.live, .ready, .metrics] + AdminQuestion.allCases.map(AdminRoute.question)

    private static let byPath = Dictionary(allCases.map { ($0.path, $0) }) { first, _ in first }

    /// Nil where there is nothing.
    init?(path: String) {
        guard let route = Self.byPath[path] else { return nil }
        self = route
    }

    var path: String {
        switch self {
        case .live: "/livez"
        case .ready: "/readyz"
        case .metrics: "/metrics"
        case .question(let question): "/v1/\(question.rawValue)"
        }
    }

    /// Whether who reaches a port on loopback may ask without a token: programs that watch the server ask these, and
    /// they tell of nobody.
    var isOpenOnLoopback: Bool {
        switch self {
        case .live, .ready, .metrics: true
        case .question: false
        }
    }
}
