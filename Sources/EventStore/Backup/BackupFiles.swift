import Foundation

/// Where files of a backup go.
enum BackupFiles {
    /// The same place as an absolute path that ends in a name: PostgreSQL's programs run in another directory, and a
    /// copy is made beside the place before it gets its name.
    static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return URL(filePath: path).standardizedFileURL.path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// - Throws: `.cannotWrite` when the directory is a file system of its own, which nothing can be renamed to.
    static func requireRenamable(_ path: String) throws(BackupError) {
        var (own, parent) = (stat(), stat())
        guard stat(path, &own) == 0, stat(path + "/..", &parent) == 0 else { return }
        guard own.st_dev == parent.st_dev else {
            throw .cannotWrite(path, reason: "it is a file system of its own. Give a new directory in it.")
        }
    }

    /// - Throws: `.notEmpty` unless the path is free or an empty directory.
    static func requireEmpty(_ path: String) throws(BackupError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR,
            let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.isEmpty
        else { throw .notEmpty(path) }
    }

    /// Makes the directory, which must not be there or be empty.
    static func makeEmpty(_ path: String) throws(BackupError) {
        try requireEmpty(path)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .cannotWrite(path, reason: error.localizedDescription)
        }
    }

    /// Copies a file of settings, with its permissions, if there is one.
    /// - Parameter owner: the user who owns the copy; nil: the user of this process.
    static func copySettings(
        from source: String, to target: String, owner: ClusterOwner? = nil
    ) throws(BackupError) {
        guard access(source, F_OK) == 0 else { return }
        do {
            try FileManager.default.copyItem(atPath: source, toPath: target)
            try owner?.own(target)
        } catch {
            throw .cannotWrite(target, reason: "\(error)")
        }
    }

    /// Copies a directory, file by file, with the files' permissions. Throws `BackupError.interrupted` once the flag is
    /// set.
    /// - Parameter owner: the user who owns the copies; nil: the user of this process.
    static func copyTree(
        from source: String, to target: String, owner: ClusterOwner?, unless flag: StopFlag,
        progress: (Int, Int) -> Void
    ) throws {
        let files = FileManager.default
        let names = try files.subpathsOfDirectory(atPath: source).sorted()
        let sizes = try names.map { try files.attributesOfItem(atPath: "\(source)/\($0)") }
        let total = sizes.reduce(0) { $0 + (($1[.size] as? Int) ?? 0) }
        var done = 0
        // PostgreSQL wants 0700 or 0750.
        try files.createDirectory(
            atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try owner?.own(target)
        for (name, attributes) in zip(names, sizes) {
            guard !flag.isSet else { throw BackupError.interrupted }
            let path = "\(target)/\(name)"
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                try files.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            } else {
                try files.copyItem(atPath: "\(source)/\(name)", toPath: path)
            }
            try owner?.own(path)
            done += (attributes[.size] as? Int) ?? 0
            progress(done, total)
        }
    }
}
