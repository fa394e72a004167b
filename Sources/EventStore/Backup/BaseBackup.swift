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
    let settings: EmbeddedClusterSettings

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
}
