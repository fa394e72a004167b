import AdminPort
import EventStore
import FocusCore
import Foundation
import Logging
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
            MetricFamily(
                "focus_ready", .gauge, "Whether a check of /readyz passes: devices are served while all do.",
                ReadinessCheck.all(server.health).map { MetricSample($0.isPassed ? 1 : 0, ("check", $0.name)) }),
            .gauge(
                "focus_clock_ahead_seconds",
                "By how much the server's clock is ahead of PostgreSQL's; 0 while they agree within two seconds.",
                Double(server.clockDifference) / 1_000_000),
        ]
    }

    /// What was logged.
    static func log(_ counts: LogOutput.Counts) -> [MetricFamily] {
        [
            .byLabel(
                "focus_log_lines_total", .counter, "Lines that were logged, written or folded, by their level.",
                "level", counts.lines.byName(\.rawValue, all: Logger.Level.allCases)),
            .counter(
                "focus_log_lines_lost_total", "Lines that were not written, because their reader did not take them.",
                counts.lost),
        ]
    }

    /// The figures that every program has, by the names that Prometheus' own libraries give them; from proc(5).
    static func process() -> [MetricFamily] {
        let statistics = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        // The program's name may hold anything, and ends at the last bracket.
        let fields = statistics.split(separator: ")").last?.split(separator: " ").compactMap { Double($0) } ?? []
        // Fields 14, 15, 22 and 24 of the file: ticks and pages. The first of `fields` is the fourth.
        guard fields.count > 20 else { return [] }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        return [
            MetricFamily(
                "process_cpu_seconds_total", .counter, "Processor time, of the user and of the system.",
                [MetricSample((fields[10] + fields[11]) / ticks)]),
            .gauge(
                "process_start_time_seconds", "When the program started.", bootTime().map { $0 + fields[18] / ticks }),
            .gauge("process_resident_memory_bytes", "Memory.", fields[20] * Double(sysconf(Int32(_SC_PAGESIZE)))),
            .gauge(
                "process_open_fds", "Open files and connections.",
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0),
            .gauge("process_max_fds", "Files and connections that may be open.", OpenFiles.limit),
        ]
    }

    /// When the machine started, in seconds since 1970.
    private static func bootTime() -> Double? {
        let lines = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    /// - Parameter directory: where the embedded PostgreSQL keeps its data; nil: it is the operator's.
    static func disk(_ directory: String?) -> [MetricFamily] {
        var system = statvfs()
        guard let directory, statvfs(directory, &system) == 0 else { return [] }
        let block = Double(system.f_frsize)
        return [
            .gauge(
                "focus_disk_free_bytes", "Bytes that are free where the embedded PostgreSQL keeps its data.",
                Double(system.f_bavail) * block),
            .gauge("focus_disk_size_bytes", "Bytes of that file system.", Double(system.f_blocks) * block),
        ]
    }
}
