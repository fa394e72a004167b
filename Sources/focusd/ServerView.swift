import AdminPort
import FocusCore
import Foundation
import Logging
import SyncServer

/// The server as machines see it that watch it.
struct ServerView: AdminSource {
    let server: SyncServer
    /// How often the embedded PostgreSQL was started again; nil: it is the operator's.
    let restarts: @Sendable () -> Int?
    /// Where the embedded PostgreSQL keeps its data; nil: it is the operator's.
    let clusterDirectory: String?
    let logged: @Sendable () -> LogOutput.Counts
    let logger: Logger

    func hanging() -> [String] { server.health.hanging }

    func readiness() -> [ReadinessCheck] { ReadinessCheck.all(server.health) }

    func metrics() async -> [MetricFamily] {
        let lanes = await server.laneFigures()
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let served = MetricFamily.work(server) + MetricFamily.connections(server)
        let lanesTell = MetricFamily.counts(lanes) + MetricFamily.state(lanes, of: server, now: now)
        return served + lanesTell + MetricFamily.database(server, restarts: restarts()) + MetricFamily.program(server)
            + MetricFamily.process() + MetricFamily.disk(clusterDirectory) + MetricFamily.log(logged())
    }

    func operatorName(of token: String) -> String? { server.operatorName(of: token) }
}
