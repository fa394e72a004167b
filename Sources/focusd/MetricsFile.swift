import Foundation
import Logging
import ServiceLifecycle
import SyncServer

/// The server's counters in a file, in Prometheus' text format, for node_exporter's textfile collector and for people.
struct MetricsFile: Service {
    private static let interval = Duration.seconds(5)

    let path: String
    let server: SyncServer
    let logger: Logger

    /// Writes until graceful shutdown. While the file cannot be written, it warns once and tries again.
    func run() async throws {
        var isWritten = true
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                // The file is renamed into place, so a reader never sees half of it.
                try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                isWritten = true
            } catch {
                if isWritten {
                    logger.warning("metrics cannot be written", metadata: ["file": "\(path)", "error": "\(error)"])
                }
                isWritten = false
            }
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
        }
    }

    private var text: String {
        let (found, contention, loads) = (server.verification, server.contention, server.loads)
        let handshakes = server.handshakeCounts
        let metrics: [(name: String, kind: String, help: String, value: Int)] = [
            (
                "focusd_users_verified_total", "counter", "Users whose read model was compared with their events.",
                found.verified
            ),
            (
                "focusd_users_differing_total", "counter",
                "Of those, found different: see focusctl projections verify and rebuild.", found.differing
            ),
            (
                "focusd_late_batches_total", "counter",
                "Batches for a partition that were staged again, because another server had appended to it first.",
                contention.late
            ),
            (
                "focusd_locked_statements_total", "counter",
                "Statements that locked their partitions first, because other servers append to them too.",
                contention.locked
            ),
            (
                "focusd_users_loaded_total", "counter", "Users who were loaded into memory, with all their rows.",
                loads.loaded
            ),
            (
                "focusd_users_looked_up_total", "counter",
                "Users who were looked up only, because a device came that has all their rows.", loads.lookedUp
            ),
            ("focusd_connections", "gauge", "Connections that are open.", server.connectionCount),
            ("focusd_handshakes_total", "counter", "TLS handshakes that were begun.", handshakes.begun),
            (
                "focusd_handshake_rests_total", "counter",
                "How often an address had to wait because it had begun more TLS handshakes than it may.",
                handshakes.rests
            ),
            (
                "focusd_handshakes_waiting", "gauge", "Connections whose TLS handshake waits for its turn.",
                handshakes.waiting
            ),
            ("focusd_inbound_bytes", "gauge", "Bytes of appends that wait for their commit.", server.inboundBytes),
            (
                "focusd_queued_bytes", "gauge", "Bytes of rows that wait for devices to take them.",
                server.queuedBytes.reduce(0, +)
            ),
        ]
        return metrics.map { "# HELP \($0.name) \($0.help)\n# TYPE \($0.name) \($0.kind)\n\($0.name) \($0.value)\n" }
            .joined()
    }
}
