import Foundation

extension BaseBackup {
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
