import EventStore
import Foundation

/// Directories of tests that run servers, named for the process that uses them.
public enum TestDirectory {
    /// Short, because a socket's path is; per user, because a run as root must not hinder others.
    static func root() throws -> String {
        let path = "/tmp/focus-tests-\(geteuid())"
        // The server's user, who is not us when we are root, must pass.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return path
    }

    /// A new empty directory, the caller's to remove.
    public static func make() throws -> String {
        let path = "\(try root())/\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        return path
    }

    /// Stops servers and removes directories of runs that were killed.
    static func removeAbandoned(in root: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        for name in names {
            guard let pid = name.split(separator: "-").first.flatMap({ pid_t($0) }), kill(pid, 0) != 0
            else { continue }
            let directory = "\(root)/\(name)"
            var settings = EmbeddedClusterSettings()
            settings.stopTimeout = .zero
            do {
                try EmbeddedCluster.stopOrphan(dataDirectory: directory, settings: settings)
            } catch {
                // Still somebody's.
                continue
            }
            try? FileManager.default.removeItem(atPath: directory)
        }
    }
}
