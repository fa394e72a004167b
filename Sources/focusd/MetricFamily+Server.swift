import AdminPort
import SyncServer

extension MetricFamily {
    /// What the server has done for users since its start.
    static func work(_ server: SyncServer) -> [MetricFamily] {
        let (found, contention, loads) = (server.verification, server.contention, server.loads)
        return [
            .counter(
                "focus_users_verified_total", "Users whose read model was compared with their events.", found.verified),
            .counter(
                "focus_users_differing_total",
                "Users who were compared and found different: see focusctl projections verify and rebuild.",
                found.differing),
            .counter(
                "focus_late_batches_total",
                "Batches for a partition that were staged again, because another server had appended to it first.",
                contention.late),
            .counter(
                "focus_locked_statements_total",
                "Statements that locked their partitions first, because other servers append to them too.",
                contention.locked),
            .counter(
                "focus_users_loaded_total", "Users who were loaded into memory, with all their rows.", loads.loaded),
            .counter(
                "focus_users_looked_up_total",
                "Users who were looked up only, because a device came that has all their rows.", loads.lookedUp),
        ]
    }

    /// Connections, and what waits on them.
    static func connections(_ server: SyncServer) -> [MetricFamily] {
        let handshakes = server.handshakeCounts
        return [
            .gauge("focus_connections", "Connections that are open.", server.connectionCount),
            .counter("focus_handshakes_total", "TLS handshakes that were begun.", handshakes.begun),
            .counter(
                "focus_handshake_rests_total",
                "How often an address had to wait because it had begun more TLS handshakes than it may.",
                handshakes.rests),
            .gauge(
                "focus_handshakes_waiting", "Connections whose TLS handshake waits for its turn.", handshakes.waiting),
            .gauge("focus_inbound_bytes", "Bytes of appends that wait for their commit.", server.inboundBytes),
            .gauge(
                "focus_queued_bytes", "Bytes of rows that wait for devices to take them.",
                server.queuedBytes.reduce(0, +)),
        ]
    }
}
