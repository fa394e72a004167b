import Foundation
import Programs

/// A command line of the operator, for /bin/sh. What it prints goes to standard error: standard output is for the
/// report.
///
/// It does not use `Foundation.Process`, which counts a command as running as long as anything that it started lives: a
/// server that was restarted lives on.
struct ShellCommand: Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Runs the command and returns when it has exited with 0. Throws when it exits otherwise.
    func run() async throws {
        let child = try spawn()
        let status: Int32 = await withCheckedContinuation { done in
            Thread {
                var status: Int32 = 0
                while waitpid(child, &status, 0) == -1, errno == EINTR {}
                done.resume(returning: status)
            }.start()
        }
        guard status == 0 else {
            let how = status & 0x7F == 0 ? "exit code \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
            throw CommandFailure("\(how) of: \(text)")
        }
    }

    private func spawn() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, 2, 1)
        // What the command starts must not hold our connections open.
        for file in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, file) }
        let words: [String] = ["/bin/sh", "-c", text]
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child = pid_t()
        let code = posix_spawn(&child, "/bin/sh", &actions, nil, arguments, environ)
        guard code == 0 else { throw CommandFailure("/bin/sh does not start: \(String(cString: strerror(code))).") }
        return child
    }
}
