import AdminPort
import EventStore
import FocusCore
import Foundation
import SyncServer

/// What runs, and what it takes of the machine.
extension MetricFamily {
    static func program(_ server: SyncServer) -> [MetricFamily] {
        [
            MetricFamily(
                "focus_build_info", .gauge, "What runs: version, fold, and the log's format when the server started.",
                [
                    MetricSample(
                        1, ("version", FocusCore.version), ("fold", "\(FocusCore.foldVersion)"),
                        ("format", "\(server.log.format)"))
                ]),
            .gauge(
                "focus_certificate_expiry_timestamp_seconds", "When the server's certificate ends.",
                server.certificateEnd.map(Double.init)),
        ]
    }

    /// The figures that every program has, by the names that Prometheus' own libraries give them; from proc(5).
    static func process() -> [MetricFamily] {
        let statistics = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        // The program's name may hold anything, and ends at the last bracket.
        let fields = statistics.split(separator: ")").last?.split(separator: " ").compactMap { Double($0) } ?? []
        // Fields 14, 15 and 24 of the file: ticks and pages. The first of `fields` is the fourth.
        guard fields.count > 20 else { return [] }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        return [
            MetricFamily(
                "process_cpu_seconds_total", .counter, "Processor time, of the user and of the system.",
                [MetricSample((fields[10] + fields[11]) / ticks)]),
            .gauge("process_resident_memory_bytes", "Memory.", fields[20] * Double(sysconf(Int32(_SC_PAGESIZE)))),
            .gauge(
                "process_open_fds", "Open files and connections.",
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0),
        ]
    }
}
