import AdminPort
import FocusCore
import Foundation
import SyncServer

/// The server as machines see it that watch it.
struct ServerView: AdminSource {
    let server: SyncServer

    func readiness() -> [ReadinessCheck] { ReadinessCheck.all(server.health) }

    func metrics() async -> [MetricFamily] {
        let lanes = await server.laneFigures()
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        return MetricFamily.work(server) + MetricFamily.connections(server) + MetricFamily.counts(lanes)
            + MetricFamily.state(lanes, of: server, now: now)
    }

    func operatorName(of token: String) -> String? { nil }
}
