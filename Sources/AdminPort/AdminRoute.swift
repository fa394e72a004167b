/// Everything that the port answers. What is not here is not there.
enum AdminRoute: String, CaseIterable {
    case live = "/livez"
    case ready = "/readyz"
    case metrics = "/metrics"

    /// Whether who reaches a port on loopback may ask without a token: programs that watch the server ask these, and
    /// they tell of nobody.
    var isOpenOnLoopback: Bool {
        switch self {
        case .live, .ready, .metrics: true
        }
    }
}
