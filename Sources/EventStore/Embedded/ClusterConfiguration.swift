import Foundation

/// The server's settings, written at each start: `postgresql.conf` and `pg_hba.conf` are ours, `custom.conf` beside the
/// cluster is the operator's and is read last.
struct ClusterConfiguration {
    let layout: ClusterLayout
    let settings: EmbeddedClusterSettings
    let hasLZ4: Bool
    /// How files of ours begin: by it a backup tells an embedded cluster from an operator's server.
    static let mark = "# Written by focusd at each start."

    var postgresql: String {
        let ours = values.merging(settings.overrides) { $1 }
        let lines = ours.sorted { $0.key < $1.key }.map { "\($0.key) = \(Self.quoted($0.value))" }
        return """
            \(Self.mark) Put your own settings into \(layout.customConfiguration).
            \(lines.joined(separator: "\n"))
            include_if_exists = \(Self.quoted(layout.customConfiguration))

            """
    }

    /// Lets in every process that can enter the socket's directory: those of its owner and of root.
    var hostBasedAuthentication: String {
        """
        \(Self.mark) The socket is in a directory that only its owner and root can enter.
        local all all trust
        local replication all trust

        """
    }

    func write(owner: ClusterOwner) throws(EmbeddedClusterError) {
        for (name, text) in [("postgresql.conf", postgresql), ("pg_hba.conf", hostBasedAuthentication)] {
            let path = "\(layout.cluster)/\(name)"
            do {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                throw .unusableDirectory(layout.cluster, reason: "\(name) cannot be written: \(error)")
            }
            chmod(path, 0o600)
            try owner.own(path)
        }
        // It is made once, so that the server does not report a missing file at each start, and the operator finds
        // where to write.
        let custom = layout.customConfiguration
        guard access(custom, F_OK) != 0 else { return }
        let hint = Data("# Settings of yours for the embedded PostgreSQL; they win over focusd's.\n".utf8)
        guard FileManager.default.createFile(atPath: custom, contents: hint) else {
            throw .unusableDirectory(layout.dataDirectory, reason: "custom.conf cannot be written")
        }
        try owner.own(custom)
    }

    private var values: [String: String] {
        let memory = Self.memory
        let walSize = min(memory / 4, freeDisk / 10)
        let durable = settings.isDurable ? "on" : "off"
        return [
            "listen_addresses": "",
            "port": String(ClusterLayout.port),
            "unix_socket_directories": layout.socketDirectory,
            "unix_socket_permissions": "0700",
            "max_connections": "100",

            "fsync": durable,
            "full_page_writes": durable,
            // Also without fsync: it costs little then, and a killed server still loses nothing.
            "synchronous_commit": "on",

            // Less than the usual quarter: focusd's caches live on the same machine.
            "shared_buffers": Self.megabytes(memory / 8, from: 64, to: 4096),
            "effective_cache_size": Self.megabytes(memory / 2, from: 128, to: 1 << 20),
            "maintenance_work_mem": Self.megabytes(memory / 32, from: 32, to: 512),
            "work_mem": "8MB",
            // Few checkpoints: each makes the next change of every page cost a whole page of WAL.
            "max_wal_size": Self.megabytes(walSize, from: 256, to: 8192),
            // Files of the WAL that are used again. One that is made anew is filled with zeros while all commits wait.
            "min_wal_size": Self.megabytes(walSize / 2, from: 128, to: 4096),
            "checkpoint_timeout": "15min",
            "wal_compression": hasLZ4 ? "lz4" : "on",
            "wal_buffers": "16MB",
            "random_page_cost": "1.1",
            // Our statements are short; compiling them takes longer than running them.
            "jit": "off",
            // The counter rows of the log change with every append and live on pruned pages.
            "autovacuum_naptime": "10s",

            // Statements and their values never reach the log: they hold what devices sent.
            "log_min_error_statement": "panic",
            "log_error_verbosity": "terse",
            "log_parameter_max_length": "0",
            "log_parameter_max_length_on_error": "0",
            "log_checkpoints": "off",
            "log_autovacuum_min_duration": "-1",
            "log_line_prefix": "%m [%p] ",
            "log_timezone": "UTC",
            "timezone": "UTC",
            "lc_messages": "C",
        ]
    }

    /// The machine's memory, or what the control group allows if that is less, in bytes.
    private static var memory: Int64 {
        let physical = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
        let limit = (try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8))
            .flatMap { Int64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        return min(physical, limit ?? .max)
    }

    private var freeDisk: Int64 {
        var status = statvfs()
        guard statvfs(layout.dataDirectory, &status) == 0 else { return .max }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    private static func megabytes(_ bytes: Int64, from low: Int64, to high: Int64) -> String {
        "\(min(max(bytes >> 20, low), high))MB"
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "''") + "'"
    }
}
