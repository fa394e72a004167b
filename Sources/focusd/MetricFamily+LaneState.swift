import AdminPort
import FocusCore
import SyncServer

/// What the lanes hold, added up.
extension MetricFamily {
    static func state(_ lanes: [LaneFigures], of server: SyncServer, now: Timestamp) -> [MetricFamily] {
        let states = lanes.map(\.state)
        return [
            sessions(states.merged(\.sessions)),
            .gauge(
                "focus_sessions_waiting", "Connections that said Hello and wait to be let in.",
                states.sum(\.waitingSessions)),
            .gauge(
                "focus_append_frames_waiting", "Append frames that wait for a statement.", states.sum(\.waitingFrames)),
            .gauge("focus_lane_requests_waiting", "Requests in the lanes' mailboxes.", server.waitingRequests),
            .gauge("focus_users_resident", "Users in memory.", states.sum(\.residentUsers)),
            .gauge(
                "focus_cache_bytes", "About how many bytes the users in memory take.", states.sum(\.residentBytes)),
            .gauge(
                "focus_cache_limit_bytes", "Bytes that users may take in memory before some are dropped.",
                server.cacheLimit),
            .gauge("focus_users_loading", "Users who are being loaded, or wait for it.", states.sum(\.loadingUsers)),
            .gauge(
                "focus_users_quarantined", "Users who are not served now, because their events cannot be folded.",
                states.sum(\.quarantinedUsers)),
            .gauge("focus_users_due", "Users for whom something is due by the clock.", states.sum(\.dueUsers)),
            .gauge(
                "focus_due_lag_seconds", "For how long something has been due for the user who waits longest.",
                states.compactMap(\.dueSince).min().map { Double(now.microseconds - $0.microseconds) / 1_000_000 } ?? 0),
        ] + projection(lanes, server)
    }

    private static func sessions(_ kinds: [LaneState.SessionKind: Int]) -> MetricFamily {
        var samples: [MetricSample] = []
        for deviceClass in DeviceClass.allCases {
            for isOfApp in [false, true] {
                let count = kinds[LaneState.SessionKind(deviceClass: deviceClass, isOfApp: isOfApp)] ?? 0
                let scope = isOfApp ? "app" : "system"
                samples.append(MetricSample(Double(count), ("class", deviceClass.rawValue), ("scope", scope)))
            }
        }
        return MetricFamily(
            "focus_sessions", .gauge, "Sessions that are open, by what the device is and what the session is for.",
            samples)
    }

    /// The lag is in events and in seconds, and never in percent, which would hide being far behind.
    private static func projection(_ lanes: [LaneFigures], _ server: SyncServer) -> [MetricFamily] {
        let lags = lanes.map(\.state.projection)
        func seconds(_ since: MonotonicTime?) -> Double { Double(since.map(server.milliseconds) ?? 0) / 1_000 }
        return [
            .gauge(
                "focus_projection_lag_events", "Events that the read model lacks.",
                Int(lags.reduce(0) { $0 + $1.events })),
            .gauge(
                "focus_projection_lag_seconds",
                "For how long the oldest event that the read model lacks has been known to this server.",
                lags.map { seconds($0.lacksSince) }.max() ?? 0),
            .gauge(
                "focus_projection_stalled_seconds",
                "For how long a partition whose events the read model lacks has got none of them; 0 while it moves.",
                lags.map { seconds($0.standsSince) }.max() ?? 0),
            .counter(
                "focus_projected_events_total", "Events that the read model has got, by this server or another.",
                Int(lanes.reduce(0) { $0 + $1.counts.projectedEvents })),
            .counter(
                "focus_projection_batches_total", "Batches that were written to the read model.",
                lanes.map(\.counts).sum(\.projections)),
            .counter(
                "focus_projection_failures_total", "Batches that were not written: the read model tries again.",
                lanes.map(\.counts).sum(\.failedProjections)),
        ]
    }
}
