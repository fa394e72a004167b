import Foundation
import PostgresClient

/// Initializes, starts, adopts and stops the server of one data directory.
struct ClusterLauncher {
    let layout: ClusterLayout
    let owner: ClusterOwner
    let settings: EmbeddedClusterSettings

    /// How long to leave processes of a dead postmaster to end by themselves.
    private static let leftoverPatience = Duration.seconds(2)
    private static let pollMicroseconds: UInt32 = 20_000

    init(_ layout: ClusterLayout, _ settings: EmbeddedClusterSettings) throws(EmbeddedClusterError) {
        self.layout = layout
        self.settings = settings
        owner = try ClusterOwner(preferred: settings.user, cluster: layout.cluster)
        try owner.requireReachable(layout.dataDirectory)
    }

    /// Makes the cluster if there is none. Built beside and renamed, so that it is there whole or not at all.
    func initialize() throws(EmbeddedClusterError) {
        guard access(layout.versionFile, F_OK) != 0 else { return }
        let mark = "postgres.initializing."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.dataDirectory)) ?? []
        for name in names where name.hasPrefix(mark) {
            try? FileManager.default.removeItem(atPath: "\(layout.dataDirectory)/\(name)")
        }
        let binaries = try PostgresBinaries.find(in: settings.binDirectory, clusterVersion: nil)
        let building = "\(layout.dataDirectory)/\(mark)\(getpid())"
        try owner.makePrivateDirectory(building)
        let command =
            try owner.prefix() + [
                binaries.initdb, "--pgdata=\(building)", "--username=\(EmbeddedCluster.role)", "--encoding=UTF8",
                "--locale=C", "--data-checksums", "--auth=trust", "--no-instructions",
            ] + (settings.isDurable ? [] : ["--no-sync"])
        try Executable.run(command, log: layout.log, timeout: settings.startTimeout)
        guard rename(building, layout.cluster) == 0 else {
            throw .unusableDirectory(layout.cluster, reason: String(cString: strerror(errno)))
        }
        if settings.isDurable { Self.sync(directory: layout.dataDirectory) }
    }

    /// Adopts the running server, or starts one, and waits until it serves us.
    func launch(unless stopping: StopFlag) throws(EmbeddedClusterError) -> Postmaster {
        let deadline = ContinuousClock.now.advanced(by: settings.startTimeout)
        while true {
            let logStart = LogFile(path: layout.log).size
            let running = Postmaster.running(in: layout)
            let postmaster = if let running { running } else { try spawn() }
            if try waitUntilReady(postmaster, deadline, logStart, stopping) {
                try makeDatabase(postmaster)
                return postmaster
            }
            // An adopted one was stopping, or ours found remains of another.
            try retry(after: postmaster, deadline, logStart)
        }
    }

    /// Stops the server; see `EmbeddedCluster.stop`.
    func stop(_ postmaster: Postmaster) throws(EmbeddedClusterError) {
        // Fast, then immediate (postgres(1), "Notes").
        for (signal, limit) in [(SIGINT, settings.stopTimeout), (SIGQUIT, .seconds(10))] {
            guard postmaster.isRunning(in: layout) else { break }
            kill(postmaster.pid, signal)
            let deadline = ContinuousClock.now.advanced(by: limit)
            while postmaster.isRunning(in: layout), ContinuousClock.now < deadline { usleep(Self.pollMicroseconds) }
        }
        guard !postmaster.isRunning(in: layout) else { throw .notStopped(pid: postmaster.pid) }
    }

    private func spawn() throws(EmbeddedClusterError) -> Postmaster {
        let binaries = try binaries()
        try owner.makePrivateDirectory(layout.socketDirectory)
        try ClusterConfiguration(layout: layout, settings: settings, hasLZ4: binaries.hasLZ4).write(owner: owner)
        LogFile(path: layout.log).rotate()
        Postmaster.removeMisleadingFiles(in: layout)
        let pid = try Executable.spawn(
            try owner.prefix() + [binaries.postgres, "-D", layout.cluster], log: layout.log)
        try owner.own(layout.log)
        return Postmaster(
            pid: pid, isChild: true, socketDirectory: layout.socketDirectory, port: ClusterLayout.port)
    }

    /// - Returns: false when the server ended instead.
    private func waitUntilReady(
        _ postmaster: Postmaster, _ deadline: ContinuousClock.Instant, _ logStart: Int64, _ stopping: StopFlag
    ) throws(EmbeddedClusterError) -> Bool {
        let conninfo = postmaster.conninfo(database: "postgres", role: EmbeddedCluster.role)
        while true {
            do throws(PostgresError) {
                try PostgresConnection(PostgresConfiguration(conninfo: conninfo)).close()
                return true
            } catch {
                guard postmaster.isRunning(in: layout) else { return false }
                if ContinuousClock.now >= deadline || stopping.isSet {
                    if postmaster.isChild { try stop(postmaster) }
                    throw .notReady(after: settings.startTimeout, log: tail(logStart))
                }
            }
            usleep(Self.pollMicroseconds)
        }
    }

    /// Decides whether another start is worth it, after one whose server ended.
    private func retry(
        after postmaster: Postmaster, _ deadline: ContinuousClock.Instant, _ logStart: Int64
    ) throws(EmbeddedClusterError) {
        let log = tail(logStart)
        // The log is in English (lc_messages): a postmaster was killed and its children still hold its memory.
        let isHeld = log.contains("pre-existing shared memory block")
        guard !postmaster.isChild || isHeld else { throw .failed("PostgreSQL does not start", log: log) }
        guard ContinuousClock.now < deadline else { throw .notReady(after: settings.startTimeout, log: log) }
        guard isHeld else { return }
        let patience = ContinuousClock.now.advanced(by: Self.leftoverPatience)
        var isTold = false
        while ContinuousClock.now < deadline {
            usleep(Self.pollMicroseconds)
            let leftovers = Postmaster.leftovers(in: layout)
            if leftovers.isEmpty { return }
            if !isTold, ContinuousClock.now >= patience {
                // What they still do, nobody waits for; what they commit is in the log all the same.
                for pid in leftovers { kill(pid, SIGTERM) }
                isTold = true
            }
        }
    }

    private func makeDatabase(_ postmaster: Postmaster) throws(EmbeddedClusterError) {
        let conninfo = postmaster.conninfo(database: EmbeddedCluster.database, role: EmbeddedCluster.role)
        do throws(PostgresError) {
            try PostgresConnection(PostgresConfiguration(conninfo: conninfo)).close()
        } catch {
            guard error.sqlState == "3D000" else { throw .database(error) }
            try Executable.run(
                [
                    try binaries().createdb, "--host=\(postmaster.socketDirectory)", "--port=\(postmaster.port)",
                    "--username=\(EmbeddedCluster.role)", "--template=template0", EmbeddedCluster.database,
                ], log: layout.log, timeout: settings.startTimeout)
        }
    }

    /// Those that fit the cluster.
    private func binaries() throws(EmbeddedClusterError) -> PostgresBinaries {
        let version = try? String(contentsOfFile: layout.versionFile, encoding: .utf8)
        return try PostgresBinaries.find(
            in: settings.binDirectory, clusterVersion: version?.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func tail(_ start: Int64) -> String {
        let log = LogFile(path: layout.log)
        // Rotated since.
        return log.tail(from: log.size < start ? 0 : start)
    }

    private static func sync(directory: String) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

extension Postmaster {
    /// The directory holds no character that needs quoting (`ClusterLayout.isUsableForSocket`), or comes from
    /// `postmaster.pid`, where we put it.
    func conninfo(database: String, role: String) -> String {
        let parts = [("host", socketDirectory), ("port", String(port)), ("user", role), ("dbname", database)]
        return parts.map { key, value in
            let escaped = value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'")
            return "\(key)='\(escaped)'"
        }.joined(separator: " ")
    }
}
