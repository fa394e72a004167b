import EventStore
import Foundation

/// Directories for tests that run servers, named for the process that uses them.
public enum TestDirectory {
    /// Short, because the path of a socket is limited; separate for each user, so that a run as root does not hinder
    /// others.
    static func root() throws -> String {
        let path = "/tmp/focus-tests-\(geteuid())"
        // The server's user needs to pass through; when the tests run as root, that is another user.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return path
    }

    /// A new empty directory, which the caller removes.
    public static func make() throws -> String {
        let path = "\(try root())/\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        return path
    }

    private static let discarded = "gone-"

    /// Removes a directory without waiting: a process of its own does it and outlives this one. A cluster with hundreds
    /// of databases has a hundred thousand files, which takes minutes on a busy disk; the test run would seem to hang.
    static func discard(_ directory: String) {
        let name = (directory as NSString).lastPathComponent
        let gone = (directory as NSString).deletingLastPathComponent + "/" + discarded + name
        // Under the new name no run takes the directory for one in use or for an abandoned one.
        guard name.hasPrefix(discarded) || rename(directory, gone) == 0 else { return }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Closes everything this process has open. Otherwise a program that reads our output through a pipe would wait
        // for `rm` too.
        for file in Int32(0)..<3 { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0) }
        for file in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, file) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which Swift's import of <spawn.h> lacks.
        posix_spawnattr_setflags(&attributes, 0x80)
        let target = name.hasPrefix(discarded) ? directory : gone
        let words: [String] = ["/bin/rm", "-rf", "--", target]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        posix_spawn(&pid, "/bin/rm", &actions, &attributes, arguments, environ)
    }

    /// Stops servers and removes directories that killed runs left behind.
    static func removeAbandoned(in root: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        // The process that was removing these may have been killed too; two processes that remove the same directory do
        // no harm.
        for name in names where name.hasPrefix(discarded) { discard("\(root)/\(name)") }
        for name in names {
            guard let pid = name.split(separator: "-").first.flatMap({ pid_t($0) }), kill(pid, 0) != 0
            else { continue }
            let directory = "\(root)/\(name)"
            var settings = EmbeddedClusterSettings()
            settings.stopTimeout = .zero
            do {
                try EmbeddedCluster.stopOrphan(dataDirectory: directory, settings: settings)
            } catch {
                // A living process still uses the directory.
                continue
            }
            discard(directory)
        }
    }
}
