import AdminPort
import FocusCore
import SyncServer

/// What the lanes do, added up: times, appends, refusals.
extension MetricFamily {
    /// What the lanes have counted together.
    static func counts(_ lanes: [LaneFigures]) -> [MetricFamily] {
        let counts = lanes.map(\.counts)
        return times(counts) + [
            .counter("focus_append_frames_total", "Append frames that were answered.", counts.sum(\.frames)),
            .counter(
                "focus_events_appended_total", "Events that were appended, those of the server's own among them.",
                counts.sum(\.events)),
            .counter(
                "focus_payload_bytes_appended_total", "Bytes of the payloads of these events.",
                counts.sum(\.payloadBytes)),
            .byLabel(
                "focus_events_refused_total", .counter,
                "Events that were logged as refused, by the code of the refusal.",
                "code", counts.merged(\.refusals).byName({ $0 }, all: RefusalCode.allCases.map(\.rawValue))),
            .byLabel(
                "focus_append_errors_total", .counter,
                "Append frames that were not taken, or not whole, by the code that the device was told.", "code",
                counts.merged(\.errors).byName(\.rawValue, all: ErrorCode.allCases)),
            .byLabel(
                "focus_sessions_opened_total", .counter,
                "Sessions that were let in: first had no rows, cursor got what changed, snapshot got all rows anew.",
                "start", counts.merged(\.starts).byName(\.rawValue, all: SessionStart.allCases)),
            .counter(
                "focus_quarantines_total", "Users who were quarantined, because their events cannot be folded.",
                counts.sum(\.quarantines)),
            .counter(
                "focus_users_evicted_total", "Users who left memory, because others needed the room.",
                counts.sum(\.evictions)),
        ]
    }

    private static func times(_ counts: [LaneCounts]) -> [MetricFamily] {
        [
            .durations(
                "focus_append_queue_seconds",
                "From the arrival of an append frame to the beginning of the statement that carries it.",
                counts.map(\.queueing)),
            .durations("focus_commit_seconds", "How long statements took that append.", counts.map(\.committing)),
            .durations(
                "focus_acknowledgement_seconds",
                "From the arrival of an append frame to its answer, up to the socket.", counts.map(\.acknowledging)),
            .durations(
                "focus_delta_seconds",
                "From a commit, or from hearing of another server's, to the rows for a device, up to the socket.",
                counts.map(\.delivering)),
        ]
    }

    private static func durations(_ name: String, _ help: String, _ lanes: [DurationHistogram]) -> MetricFamily {
        var all = DurationHistogram()
        for lane in lanes { all.add(lane) }
        let sum = Double(all.microseconds) / 1_000_000
        return .histogram(name, help, bounds: DurationHistogram.bounds, [Buckets(all.counts, sum: sum)])
    }
}
