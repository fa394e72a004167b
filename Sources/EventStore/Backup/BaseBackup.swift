import Foundation
import PostgresClient

/// A copy of a whole PostgreSQL cluster, made by PostgreSQL's own tools while it runs.
///
/// Flow: pg_basebackup (files, and the WAL written meanwhile) → pg_verifybackup → … → pg_verifybackup → a new cluster,
/// which recovers to the moment at which the backup ended. Devices send again what was acknowledged after that (rule
/// S6). The operator's settings of an embedded cluster are in it (`custom.conf`). Keys are not: tokens and receipts are
/// checked with files that stay with the server.
public struct BaseBackup: Sendable {
    /// What `focusctl backup` wrote: an absolute path.
    public let directory: String
    /// PostgreSQL's own directory in it, checksummed by its manifest.
    public var cluster: String { directory + "/postgres" }
    var manifest: String { cluster + "/backup_manifest" }
    /// The operator's settings of the embedded cluster that was backed up; nothing is there when it was another one.
    public var customConfiguration: String { directory + "/custom.conf" }
    /// Whether it is of focusd's own PostgreSQL.
    public var isEmbedded: Bool {
        let settings = try? String(contentsOfFile: cluster + "/postgresql.conf", encoding: .utf8)
        return settings?.hasPrefix(ClusterConfiguration.mark) == true
    }
    private let settings: EmbeddedClusterSettings

    /// - Throws: `.notABackup`.
    public init(
        directory: String, settings: EmbeddedClusterSettings = EmbeddedClusterSettings()
    ) throws(BackupError) {
        self.directory = BackupFiles.absolute(directory)
        self.settings = settings
        guard access(manifest, R_OK) == 0 else { throw .notABackup(directory) }
    }

    private init(making directory: String, _ settings: EmbeddedClusterSettings) {
        self.directory = BackupFiles.absolute(directory)
        self.settings = settings
    }

    /// Makes a backup in `directory`, which must not be there or be empty, and checks it. The manifest, without which it
    /// is none, is written last.
    /// - Parameters:
    ///   - conninfo: a role that may replicate; the server's `pg_hba.conf` must let it.
    ///   - dataDirectory: the data directory of the embedded cluster that it is of; nil: it is the operator's server,
    ///     whose settings are among its files.
    ///   - flag: once it is set, this throws `.interrupted`.
    ///   - progress: gets the bytes done and the bytes in all, now and then.
    ///   - copied: all is copied, and is checked next, which reads all of it once more.
    public static func take(
        conninfo: String, of dataDirectory: String? = nil, to directory: String,
        settings: EmbeddedClusterSettings = EmbeddedClusterSettings(), unless flag: StopFlag = StopFlag(),
        progress: (Int, Int) -> Void = { _, _ in }, copied: () -> Void = {}
    ) throws(BackupError) -> BaseBackup {
        try BackupFiles.makeEmpty(directory)
        let backup = BaseBackup(making: directory, settings)
        let tool = try BackupTool("pg_basebackup", for: nil, settings)
        let target: (conninfo: String, password: String?)
        do {
            target = try PostgresConfiguration.separatingPassword(conninfo)
        } catch {
            throw .failed("pg_basebackup", output: error.message)
        }
        if let dataDirectory {
            try BackupFiles.copySettings(from: dataDirectory + "/custom.conf", to: backup.customConfiguration)
        }
        do {
            try tool.run(
                [
                    "--dbname=\(target.conninfo)", "--pgdata=\(backup.cluster)", "--format=plain",
                    "--wal-method=stream", "--checkpoint=fast", "--manifest-checksums=SHA256",
                    "--label=focusctl backup", "--progress",
                ],
                password: target.password, unless: flag
            ) { if let (done, total) = bytes(in: $0) { progress(done, total) } }
        } catch {
            // The next attempt finds the directory empty, as pg_basebackup leaves nothing either when it fails.
            unlink(backup.customConfiguration)
            throw error
        }
        copied()
        try backup.verify(unless: flag)
        return backup
    }

    /// How far pg_basebackup is, of "  1234/5678 kB (21%), 0/1 tablespace".
    private static func bytes(in output: String) -> (done: Int, total: Int)? {
        guard let line = output.split(whereSeparator: \.isNewline).last(where: { $0.contains(" kB (") }),
            let numbers = line.split(separator: " ").first?.split(separator: "/"), numbers.count == 2,
            let done = Int(numbers[0]), let total = Int(numbers[1])
        else { return nil }
        return (done * 1_024, total * 1_024)
    }

    /// Compares every file with the manifest, and the WAL with what recovery needs.
    /// - Throws: `.damaged`, and `.interrupted` once the flag is set.
    public func verify(unless flag: StopFlag = StopFlag()) throws(BackupError) {
        let tool = try BackupTool("pg_verifybackup", for: cluster, settings)
        do {
            try tool.run(["--quiet", cluster], unless: flag)
        } catch {
            guard case .failed(_, let output) = error else { throw error }
            throw .damaged(directory, output: output)
        }
    }

    /// Copies the checked backup to where a PostgreSQL server will run on it: a directory that must not be there or be
    /// empty. A copy that is cut short leaves only `….restoring` beside it.
    /// - Throws: `.interrupted` once the flag is set.
    public func restore(
        cluster target: String, unless flag: StopFlag = StopFlag(), progress: (Int, Int) -> Void = { _, _ in }
    ) throws(BackupError) {
        let target = BackupFiles.absolute(target)
        try BackupFiles.requireEmpty(target)
        try BackupFiles.requireRenamable(target)
        try verify(unless: flag)
        try copy(to: target, owner: nil, unless: flag, progress: progress)
    }

    /// Copies the checked backup to the embedded cluster of a data directory, which must have none. Keys and a
    /// `custom.conf` beside it stay as they are; where there is no `custom.conf`, it gets the backup's.
    /// - Throws: `.cluster(.alreadyRunning)` when a focusd or a server works in the directory, and `.interrupted` once
    ///   the flag is set; `.notEmbedded` when the backup is of another server, whose database focusd would not find.
    public func restore(
        dataDirectory: String, unless flag: StopFlag = StopFlag(), progress: (Int, Int) -> Void = { _, _ in }
    ) throws(BackupError) {
        guard isEmbedded else { throw .notEmbedded(directory) }
        do {
            try FileManager.default.createDirectory(
                atPath: dataDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw .cannotWrite(dataDirectory, reason: error.localizedDescription)
        }
        let (launcher, lock) = try claim(dataDirectory)
        defer { withExtendedLifetime(lock) {} }
        try BackupFiles.requireEmpty(launcher.layout.cluster)
        try BackupFiles.requireRenamable(launcher.layout.cluster)
        try verify(unless: flag)
        try copy(to: launcher.layout.cluster, owner: launcher.owner, unless: flag, progress: progress)
        let settings = launcher.layout.customConfiguration
        if access(settings, F_OK) != 0 {
            try BackupFiles.copySettings(from: customConfiguration, to: settings, owner: launcher.owner)
        }
    }

    /// Locks the data directory: nobody starts a server in it while the lock lives.
    private func claim(_ dataDirectory: String) throws(BackupError) -> (ClusterLauncher, ClusterLock) {
        do throws(EmbeddedClusterError) {
            let launcher = try ClusterLauncher(ClusterLayout(dataDirectory: dataDirectory), settings)
            let lock = try ClusterLock(launcher.layout, owner: launcher.owner)
            if let orphan = Postmaster.running(in: launcher.layout) {
                throw .alreadyRunning(dataDirectory: dataDirectory, pid: orphan.pid)
            }
            return (launcher, lock)
        } catch {
            throw .cluster(error)
        }
    }

    private func copy(
        to target: String, owner: ClusterOwner?, unless flag: StopFlag, progress: (Int, Int) -> Void
    ) throws(BackupError) {
        let building = target + ".restoring"
        do {
            try? FileManager.default.removeItem(atPath: building)
            try BackupFiles.copyTree(from: cluster, to: building, owner: owner, unless: flag, progress: progress)
            // The manifest belongs to the backup, and PostgreSQL has no use for it in the cluster.
            try FileManager.default.removeItem(atPath: building + "/backup_manifest")
        } catch let error as BackupError {
            throw error
        } catch {
            throw .cannotWrite(building, reason: "\(error)")
        }
        // Otherwise a power failure could keep the rename and lose what was written before it.
        sync()
        // A rename replaces an empty directory.
        guard rename(building, target) == 0 else {
            throw .cannotWrite(target, reason: String(cString: strerror(errno)))
        }
        sync()
    }
}
