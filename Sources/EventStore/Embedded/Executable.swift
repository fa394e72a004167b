import Foundation

/// Finds and runs programs.
enum Executable {
    /// The path of a program; nil when there is none. It is looked for in PATH, and in the directories of root's
    /// programs, which an ordinary user's PATH lacks.
    static func find(_ name: String) -> String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/bin:/sbin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Starts a program in its own session, so that Ctrl-C in our terminal does not reach it, with nothing of ours
    /// open, and with its output at the end of the file `log`.
    /// - Parameters:
    ///   - names: variables of our own environment that it gets too.
    ///   - others: further variables, which win over those.
    /// - Returns: its process id. The caller reaps it.
    static func spawn(
        _ command: [String], log: String, inheriting names: [String] = [], adding others: [String: String] = [:]
    ) throws(EmbeddedClusterError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A socket or pipe of ours in the server would stay open after our end.
        _ = SpawnExtensions.closeFrom?(&actions, 3)
        // Our own directory may be closed to the server's user.
        _ = SpawnExtensions.changeDirectory?(&actions, "/")

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // Servers ignore some of these signals, and a child inherits that.
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM] {
            sigaddset(&signals, signal)
        }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = SpawnExtensions.setsid | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let arguments = command.map { strdup($0) } + [nil]
        // Without our PG… variables, which would point clients elsewhere, and in plain English for the log.
        let ours = ProcessInfo.processInfo.environment
        let variables =
            ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", "TZ=UTC"]
            + names.filter { others[$0] == nil }.compactMap { name in ours[name].map { "\(name)=\($0)" } }
            + others.map { "\($0.key)=\($0.value)" }
        let environment = variables.map { strdup($0) } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, command[0], &actions, &attributes, arguments, environment)
        guard code == 0 else {
            throw .failed("\(command[0]) cannot be run: \(String(cString: strerror(code)))", log: "")
        }
        return pid
    }

    /// Runs a program to its end. Throws `.failed` when it fails, and when it takes longer than `timeout` and is
    /// killed.
    static func run(_ command: [String], log: String, timeout: Duration) throws(EmbeddedClusterError) {
        let start = LogFile(path: log).size
        let pid = try spawn(command, log: log)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var status: Int32 = 0
        while waitpid(pid, &status, WNOHANG) == 0 {
            if ContinuousClock.now >= deadline {
                kill(pid, SIGKILL)
                waitpid(pid, &status, 0)
                let output = LogFile(path: log).tail(from: start)
                throw .failed("\(command.joined(separator: " ")) took too long", log: output)
            }
            usleep(10_000)
        }
        guard status == 0 else {
            throw .failed("\(command.joined(separator: " ")) failed", log: LogFile(path: log).tail(from: start))
        }
    }
}

extension Executable {
    /// What a program prints, without blanks around it; nil if it fails. Not Foundation's `Process`, which leaks.
    static func output(of command: [String]) -> String? {
        guard access(command[0], X_OK) == 0, let file = try? TemporaryFile("focusd-output") else { return nil }
        guard (try? run(command, log: file.path, timeout: .seconds(10))) != nil else { return nil }
        return file.text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// What `<spawn.h>` has only with `_GNU_SOURCE`, which Swift's import of it lacks.
private enum SpawnExtensions {
    typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    /// `POSIX_SPAWN_SETSID`.
    static let setsid: Int32 = 0x80

    /// glibc 2.34 and later.
    static let closeFrom: (@convention(c) (Actions, Int32) -> Int32)? = symbol(
        "posix_spawn_file_actions_addclosefrom_np")

    /// glibc 2.29 and later.
    static let changeDirectory: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32)? = symbol(
        "posix_spawn_file_actions_addchdir_np")

    private static func symbol<T>(_ name: String) -> T? {
        // A null handle searches the whole program (RTLD_DEFAULT).
        dlsym(nil, name).map { unsafeBitCast($0, to: T.self) }
    }
}
