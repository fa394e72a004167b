import Foundation
import PostgresClient
import Synchronization

/// A PostgreSQL server of our own, so that focusd needs no other one.
///
/// Flow: lock the data directory → `initdb` at the first start → adopt a server that outlived an earlier focusd, or
/// start one → wait until it is ready → `conninfo` → `stop`.
///
/// The server is reached over a unix socket only, in a directory that only its owner and root can enter. It outlives a
/// killed focusd and is adopted by the next; if it is itself killed, the next start recovers it.
/// All calls block: make them on a thread of your own.
public final class EmbeddedCluster: Sendable {
    /// Absolute, without symbolic links.
    public let dataDirectory: String
    /// The superuser, who owns the database.
    public static let role = "focusd"
    public static let database = "focusd"

    let launcher: ClusterLauncher
    private let lock: Mutex<ClusterLock?>
    private let postmaster: Mutex<Postmaster>
    /// Set by `stop`: a start under way gives up.
    private let isStopping: StopFlag

    /// `/var/lib/focusd` as root, else `~/.local/share/focusd`.
    public static var defaultDataDirectory: String {
        geteuid() == 0 ? "/var/lib/focusd" : NSHomeDirectory() + "/.local/share/focusd"
    }

    /// Starts or adopts the cluster in `dataDirectory`, which is made if it is not there. Blocks until it is ready: as
    /// long as PostgreSQL recovers from a crash, because a recovery that is ended begins again.
    /// - Parameters:
    ///   - flag: once set, the start gives up, leaves no server of its own behind and throws `.stopped`.
    ///   - recovers: called every ten seconds of a recovery, with how long it has taken.
    public static func start(
        dataDirectory: String = defaultDataDirectory, settings: EmbeddedClusterSettings = EmbeddedClusterSettings(),
        unless flag: StopFlag = StopFlag(), recovers: (Duration) -> Void = { _ in }
    ) throws(EmbeddedClusterError) -> EmbeddedCluster {
        do {
            try FileManager.default.createDirectory(
                atPath: dataDirectory, withIntermediateDirectories: true,
                // Directories that exist keep their permissions.
                attributes: [.posixPermissions: 0o755])
        } catch {
            throw .unusableDirectory(dataDirectory, reason: "it cannot be made: \(error.localizedDescription)")
        }
        let launcher = try ClusterLauncher(ClusterLayout(dataDirectory: dataDirectory), settings)
        let lock = try ClusterLock(launcher.layout, owner: launcher.owner)
        try launcher.initialize()
        let postmaster = try launcher.launch(unless: flag, recovers: recovers)
        return EmbeddedCluster(launcher, lock, postmaster, flag)
    }

    private init(
        _ launcher: ClusterLauncher, _ lock: ClusterLock, _ postmaster: Postmaster, _ flag: StopFlag
    ) {
        self.launcher = launcher
        self.lock = Mutex(lock)
        self.postmaster = Mutex(postmaster)
        isStopping = flag
        dataDirectory = launcher.layout.dataDirectory
    }

    /// Stops the server that a killed focusd left in `dataDirectory`, if there is one.
    /// - Throws: `.alreadyRunning` when a focusd holds the directory.
    public static func stopOrphan(
        dataDirectory: String, settings: EmbeddedClusterSettings = EmbeddedClusterSettings()
    ) throws(EmbeddedClusterError) {
        let launcher = try ClusterLauncher(ClusterLayout(dataDirectory: dataDirectory), settings)
        let lock = try ClusterLock(launcher.layout, owner: launcher.owner)
        defer { withExtendedLifetime(lock) {} }
        if let orphan = Postmaster.running(in: launcher.layout) { try launcher.stop(orphan) }
    }

    /// For `PostgresConfiguration`: connects as the superuser to the database `focusd`, over the unix socket.
    public var conninfo: String { conninfo(database: Self.database, role: Self.role) }

    /// Connects to the same server with another database or role.
    public func conninfo(database: String, role: String = EmbeddedCluster.role) -> String {
        postmaster.withLock { $0.conninfo(database: database, role: role) }
    }

    public var postmasterPID: Int32 { postmaster.withLock { $0.pid } }

    /// False when the server has ended: killed, or stopped.
    public var isRunning: Bool { postmaster.withLock { $0.isRunning(in: launcher.layout) } }

    /// Starts the server again if it has ended, with crash recovery; blocks until it is ready.
    /// - Returns: whether it was started. False also after `stop`.
    @discardableResult
    public func ensureRunning() throws(EmbeddedClusterError) -> Bool {
        try postmaster.withLock { current throws(EmbeddedClusterError) in
            guard !isStopping.isSet, !current.isRunning(in: launcher.layout) else { return false }
            current = try launcher.launch(unless: isStopping)
            return true
        }
    }

    /// Shuts the server down fast: sessions end, everything is on disk. After `stopTimeout` an immediate shutdown
    /// follows, which loses nothing either but lets the next start recover. Then frees the data directory. Harmless
    /// when called again.
    /// - Throws: `.notStopped` when even that does not end the server.
    public func stop() throws(EmbeddedClusterError) {
        isStopping.set()
        try postmaster.withLock { current throws(EmbeddedClusterError) in
            try launcher.stop(current)
        }
        lock.withLock { $0 = nil }
    }
}

/// Says that the cluster is stopping, or is to give up its start. Once set, it is never cleared.
public final class StopFlag: Sendable {
    private let flag = Atomic(false)

    public init() {}

    public var isSet: Bool { flag.load(ordering: .acquiring) }
    public func set() { flag.store(true, ordering: .releasing) }
}
