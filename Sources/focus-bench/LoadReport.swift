import Answers
import Foundation

/// The results of a run.
struct LoadReport {
    var plan: LoadPlan
    /// How many events were accepted, acknowledged and delivered.
    var events: Int
    /// When the clock started.
    var beganAt: Date
    /// From the start of the clock to the last acknowledgement.
    var seconds: Double
    /// From the start of the clock until every device had its last row.
    var deliveredSeconds: Double
    /// The times from sending a frame to its acknowledgement, ascending, in µs.
    var latencies: [UInt32]
    /// The generator's own processor time, from the start of the clock to the last acknowledgement.
    var processor: ProcessorTime
    /// How many rows were delivered.
    var rows: Int
    var bytesSent: Int
    var bytesReceived: Int

    private var eventsPerSecond: Double { Double(events) / seconds }

    private func latency(_ percentile: Double) -> UInt32 {
        guard !latencies.isEmpty else { return 0 }
        return latencies[min(latencies.count - 1, Int(Double(latencies.count) * percentile / 100))]
    }

    var json: String {
        var text = JSONText()
        text.add("devices", plan.devices)
        text.add("users", plan.users)
        text.add("batch", plan.batch)
        text.add("window", plan.window)
        if let rate = plan.rate { text.add("rate", rate) }
        text.addRaw("seed", String(plan.seed))
        text.add("events", events)
        text.addRaw("began_at", String(format: "%.6f", beganAt.timeIntervalSince1970))
        text.addRaw("seconds", String(format: "%.6f", seconds))
        text.addRaw("delivered_seconds", String(format: "%.6f", deliveredSeconds))
        text.addRaw("events_per_second", String(format: "%.1f", eventsPerSecond))
        text.add("ack_p50_us", latency(50))
        text.add("ack_p99_us", latency(99))
        text.addRaw("cpu_user_seconds", String(format: "%.3f", processor.user))
        text.addRaw("cpu_system_seconds", String(format: "%.3f", processor.system))
        text.add("rows_delivered", rows)
        text.add("bytes_sent", bytesSent)
        text.add("bytes_received", bytesReceived)
        return text.text
    }

    var lines: [String] {
        [
            "\(events) events of \(plan.devices) devices of \(plan.users) users in \(String(format: "%.2f", seconds)) s: "
                + "\(Int(eventsPerSecond)) events/s, batches of \(plan.batch), \(plan.window) in flight",
            "acknowledged after \(milliseconds(50)) ms (median), \(milliseconds(99)) ms (99th percentile)",
            "\(rows) rows delivered; \(bytesSent >> 10) KiB sent, \(bytesReceived >> 10) KiB received",
            "this generator used \(String(format: "%.2f", processor.total)) s of processor time, "
                + "\(Int((processor.total / seconds * 100).rounded())) % of one core",
        ]
    }

    private func milliseconds(_ percentile: Double) -> String {
        String(format: "%.2f", Double(latency(percentile)) / 1_000)
    }
}
