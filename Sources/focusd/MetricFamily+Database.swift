import AdminPort
import EventStore
import FocusCore
import SyncServer

/// What PostgreSQL is like, and what it says of the log and the read model.
extension MetricFamily {
    /// - Parameter restarts: how often the embedded PostgreSQL was started again; nil: it is the operator's.
    static func database(_ server: SyncServer, restarts: Int?) -> [MetricFamily] {
        let health = server.health
        let isUp = health.sinceAnswer.map { $0 < SyncServer.heartbeatPatience } ?? false
        var families: [MetricFamily] = [
            .gauge("focus_postgres_up", "Whether PostgreSQL answers.", isUp ? 1 : 0),
            .gauge(
                "focus_postgres_primary", "Whether PostgreSQL has proved lately that it writes the log, or need not.",
                health.isPrimary ? 1 : 0),
        ]
        if let waits = server.waitsForStandby {
            families.append(
                .gauge(
                    "focus_postgres_waits_for_standby", "Whether commits wait for a synchronous standby.",
                    waits ? 1 : 0))
        }
        if let restarts {
            families.append(
                .counter(
                    "focus_postgres_restarts_total",
                    "How often the embedded PostgreSQL had died and was started again.",
                    restarts))
        }
        guard let (figures, age) = server.storeFigures() else { return families }
        return families + [
            .gauge(
                "focus_store_figures_age_seconds",
                "How old the figures are that PostgreSQL is asked for: sizes, rebuild and backup.", Double(age) / 1_000),
            .gauge("focus_postgres_start_time_seconds", "When PostgreSQL started.", figures.startedAt.seconds),
            MetricFamily(
                "focus_postgres_unsafe_setting", .gauge,
                "Whether a setting of PostgreSQL is off by which acknowledged events may be lost.",
                DurabilityRisk.allCases.map {
                    MetricSample(figures.risks.contains($0) ? 1 : 0, ("setting", $0.rawValue))
                }),
        ] + sizes(figures) + rebuild(figures.status.rebuild) + backup(figures.lastBackup)
    }

    private static func sizes(_ figures: StoreFigures) -> [MetricFamily] {
        let (status, tables) = (figures.status, figures.status.tables)
        func samples(_ value: (TableSize) -> Int64) -> [MetricSample] {
            tables.map { MetricSample(Double(value($0)), ("generation", "\($0.generation)"), ("table", $0.table)) }
        }
        return [
            .gauge(
                "focus_log_events", "Events of the log.", Int(status.partitions.reduce(0) { $0 + $1.head.rawValue })),
            .gauge("focus_log_bytes", "Bytes on disk of the log's events, with their indexes.", Int(figures.logBytes)),
            .gauge("focus_database_bytes", "Bytes on disk of the whole database.", Int(figures.databaseBytes)),
            .gauge(
                "focus_projection_laggards", "Users whose rows lack events, because these cannot be folded.",
                Int(status.partitions.reduce(0) { $0 + $1.laggards })),
            MetricFamily(
                "focus_table_bytes", .gauge, "Bytes on disk of a table of the read model, with its indexes.",
                samples(\.bytes)),
            MetricFamily(
                "focus_table_rows", .gauge, "About how many rows a table of the read model has.", samples(\.rows)),
        ]
    }

    static func rebuild(_ rebuild: UnfinishedRebuild?) -> [MetricFamily] {
        var families: [MetricFamily] = [
            .gauge(
                "focus_rebuild_unfinished", "Whether a generation of the read model is on its way to be shown.",
                rebuild == nil ? 0 : 1)
        ]
        guard let rebuild else { return families }
        let partitions = [
            ("all", rebuild.partitions), ("filled", rebuild.filled), ("shown", rebuild.cutOver),
        ]
        let events = [("all", rebuild.eventsTotal), ("folded", rebuild.events)]
        families += [
            .gauge(
                "focus_rebuild_working", "Whether a process works on that generation.",
                rebuild.standing == .working ? 1 : 0),
            .gauge("focus_rebuild_start_time_seconds", "When it was begun.", rebuild.startedAt.seconds),
            MetricFamily(
                "focus_rebuild_partitions", .gauge, "Partitions of the rebuild: all, filled, and shown.",
                partitions.map { MetricSample(Double($0.1), ("state", $0.0)) }),
            MetricFamily(
                "focus_rebuild_events", .gauge, "Events of the rebuild: all, and those that are folded.",
                events.map { MetricSample(Double($0.1), ("state", $0.0)) }),
        ]
        return families
    }

    /// Nothing where no backup was ever recorded: an alert asks for that too.
    static func backup(_ last: BackupRecord?) -> [MetricFamily] {
        guard let last else { return [] }
        return [
            .gauge(
                "focus_last_backup_timestamp_seconds", "When the last backup began; it holds what was appended before.",
                last.beganAt.seconds),
            .gauge("focus_last_backup_events", "How many events it holds at least.", last.events.map(Double.init)),
        ]
    }
}

extension Timestamp {
    /// Since 1970, as Prometheus counts.
    var seconds: Double { Double(microseconds) / 1_000_000 }
}
