import AdminPort
import FocusCore
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
        let (handshakes, counts) = (server.handshakeCounts, server.connectionCounts)
        return [
            .gauge("focus_connections", "Connections that are open.", server.connectionCount),
            .gauge("focus_connections_limit", "Connections that may be open at a time.", server.connectionLimit),
            .counter("focus_connections_total", "Connections that were accepted.", server.acceptedCount),
            .byLabel(
                "focus_hellos_refused_total", .counter,
                "Connections that ended before they had a session, by the code that they were told.", "code",
                counts.refusedHellos.byName(\.rawValue, all: ErrorCode.allCases)),
            .byLabel(
                "focus_goaways_total", .counter,
                "Connections that were sent away, by the code that they were told; slow_consumer are slow consumers.",
                "code", counts.goAways.byName(\.rawValue, all: ErrorCode.allCases)),
            .byLabel(
                "focus_session_errors_total", .counter,
                "Errors that sessions were told outside of answers to appends, by their code.", "code",
                counts.errors.byName(\.rawValue, all: ErrorCode.allCases)),
            .byLabel(
                "focus_requests_refused_total", .counter, "Requests that were past a device's quota, by their kind.",
                "request", server.quotaRefusals.byName({ "\($0)" }, all: QuotaRequest.allCases)),
            .gauge(
                "focus_connections_behind", "Connections for whose rows there is no room, as they take them slowly.",
                server.behindCount),
            .counter("focus_handshakes_total", "TLS handshakes that were begun.", handshakes.begun),
            .counter(
                "focus_handshake_rests_total",
                "How often an address had to wait because it had begun more TLS handshakes than it may.",
                handshakes.rests),
            .gauge(
                "focus_handshakes_waiting", "Connections whose TLS handshake waits for its turn.", handshakes.waiting),
            .gauge(
                "focus_inbound_bytes",
                "Bytes of appends that wait for their answers, and of what these may take until they have left.",
                server.inboundBytes),
            .gauge(
                "focus_inbound_limit_bytes", "Bytes of appends past which the server stops reading them.",
                server.inboundLimit),
            .gauge(
                "focus_queued_bytes", "Bytes of rows that wait for devices to take them.",
                server.queuedBytes.reduce(0, +)),
        ]
    }
}
