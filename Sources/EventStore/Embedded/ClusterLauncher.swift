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
    private static let reportInterval = Duration.seconds(10)

    init(_ layout: ClusterLayout, _ settings: EmbeddedClusterSettings) throws(EmbeddedClusterError) {
        self.layout = layout
        self.settings = settings
        owner = try ClusterOwner(preferred: settings.user, cluster: layout.cluster)
        try owner.requireReachable(layout.dataDirectory)
    }

    /// Adopts the running server, or starts one, and waits until it serves us.
    func launch(
        unless stopping: StopFlag, recovers: (Duration) -> Void = { _ in }
    ) throws(EmbeddedClusterError) -> Postmaster {
        let deadline = ContinuousClock.now.advanced(by: settings.startTimeout)
        while true {
            let logStart = LogFile(path: layout.log).size
            let running = Postmaster.running(in: layout)
            let postmaster = if let running { running } else { try spawn() }
            if try waitUntilReady(postmaster, deadline, logStart, stopping, recovers) {
                try makeDatabase(postmaster)
                return postmaster
            }
            // An adopted server was stopping, or the one that we started found remains of another.
            try retry(after: postmaster, deadline, logStart, stopping)
        }
    }

    /// Stops the server; see `EmbeddedCluster.stop`.
    func stop(_ postmaster: Postmaster) throws(EmbeddedClusterError) {
        // A fast shutdown, then an immediate one (postgres(1), "Notes").
        for (signal, limit) in [(SIGINT, settings.stopTimeout), (SIGQUIT, .seconds(3))] {
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
        _ postmaster: Postmaster, _ deadline: ContinuousClock.Instant, _ logStart: Int64, _ stopping: StopFlag,
        _ recovers: (Duration) -> Void
    ) throws(EmbeddedClusterError) -> Bool {
        let conninfo = postmaster.conninfo(database: "postgres", role: EmbeddedCluster.role)
        let begin = ContinuousClock.now
        var nextReport = begin.advanced(by: Self.reportInterval)
        while true {
            do throws(PostgresError) {
                try PostgresConnection(PostgresConfiguration(conninfo: conninfo)).close()
                return true
            } catch {
                guard postmaster.isRunning(in: layout) else { return false }
                let now = ContinuousClock.now
                let isRecovering = error.kind == .shuttingDown && !error.message.contains("is shutting down")
                if stopping.isSet || (now >= deadline && !isRecovering) {
                    if postmaster.isChild { try stop(postmaster) }
                    throw stopping.isSet ? .stopped : .notReady(after: settings.startTimeout, log: tail(logStart))
                }
                if isRecovering, now >= nextReport {
                    recovers(now - begin)
                    nextReport = now.advanced(by: Self.reportInterval)
                }
            }
            usleep(Self.pollMicroseconds)
        }
    }

    /// Returns when another start is worth trying after one whose server ended, and throws otherwise.
    private func retry(
        after postmaster: Postmaster, _ deadline: ContinuousClock.Instant, _ logStart: Int64, _ stopping: StopFlag
    ) throws(EmbeddedClusterError) {
        // A server that a focusd started just before it was killed came first, and is to be adopted.
        if Postmaster.running(in: layout) != nil { return }
        let log = tail(logStart)
        // The log is in English (lc_messages): a postmaster was killed and its children still hold its memory.
        let isHeld = log.contains("pre-existing shared memory block")
        guard !postmaster.isChild || isHeld else { throw .failed("PostgreSQL does not start", log: log) }
        guard !stopping.isSet else { throw .stopped }
        guard ContinuousClock.now < deadline else {
            throw .notReady(after: settings.startTimeout, log: log)
        }
        guard isHeld else { return }
        let patience = ContinuousClock.now.advanced(by: Self.leftoverPatience)
        var isTold = false
        while ContinuousClock.now < deadline, !stopping.isSet {
            usleep(Self.pollMicroseconds)
            let leftovers = Postmaster.leftovers(in: layout)
            if leftovers.isEmpty { return }
            if !isTold, ContinuousClock.now >= patience {
                // Nobody waits for what they still do, and what they commit is in the log all the same.
                for pid in leftovers { kill(pid, SIGTERM) }
                isTold = true
            }
        }
    }

    /// Binaries of the cluster's major version, or the newest where there is no cluster yet.
    func binaries() throws(EmbeddedClusterError) -> PostgresBinaries {
        let version = try? String(contentsOfFile: layout.versionFile, encoding: .utf8)
        return try PostgresBinaries.find(
            in: settings.binDirectory, clusterVersion: version?.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func tail(_ start: Int64) -> String {
        let log = LogFile(path: layout.log)
        // A log that is shorter than it was has been rotated since.
        return log.tail(from: log.size < start ? 0 : start)
    }
}
