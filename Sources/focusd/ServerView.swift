import AdminPort
import SyncServer

/// The server as machines see it that watch it.
struct ServerView: AdminSource {
    let server: SyncServer

    func readiness() -> [ReadinessCheck] { ReadinessCheck.all(server.health) }

    func metrics() async -> [MetricFamily] { MetricFamily.work(server) + MetricFamily.connections(server) }

    func operatorName(of token: String) -> String? { nil }
}
