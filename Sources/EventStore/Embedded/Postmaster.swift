import Foundation

/// A running server process of our data directory: started by us, or found (adopted).
struct Postmaster {
    let pid: pid_t
    /// Whether it is a child of this process, which then must reap it.
    let isChild: Bool
    let socketDirectory: String
    let port: Int

    /// Removes what a dead postmaster left and PostgreSQL would take for a living one's: files whose process id now
    /// belongs to another program (containers count from 1 anew) or to a zombie that nobody reaps. Call it when no
    /// postmaster of this directory runs, under our lock. PostgreSQL finds remaining children without the files, by
    /// their shared memory.
    static func removeMisleadingFiles(in layout: ClusterLayout) {
        // The socket's directory is ours alone, so nobody else's mark can be there.
        unlink(layout.socketLock)
        guard let text = try? String(contentsOfFile: layout.postmasterFile, encoding: .utf8),
            let pid = text.split(separator: "\n").first.flatMap({ pid_t($0.trimmingCharacters(in: .whitespaces)) }),
            kill(pid, 0) == 0, !isServerProcess(pid, of: layout)
        else { return }
        unlink(layout.postmasterFile)
    }

    /// The postmaster that `postmaster.pid` names, if it lives and really is of this directory. The file alone proves
    /// nothing: after a crash the id may be another program's.
    static func running(in layout: ClusterLayout) -> Postmaster? {
        guard let text = try? String(contentsOfFile: layout.postmasterFile, encoding: .utf8) else { return nil }
        // pidfile.h: process id, data directory, start time, port, socket directory, …
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let pid = lines.first.flatMap({ pid_t($0.trimmingCharacters(in: .whitespaces)) }),
            isServerProcess(pid, of: layout)
        else { return nil }
        let port = lines.count > 3 ? Int(lines[3]) : nil
        let directory = lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : layout.socketDirectory
        return Postmaster(
            pid: pid, isChild: false, socketDirectory: directory, port: port ?? ClusterLayout.port)
    }

    /// True while the process has not ended; a child that has is reaped.
    func isRunning(in layout: ClusterLayout) -> Bool {
        if isChild {
            var status: Int32 = 0
            return waitpid(pid, &status, WNOHANG) == 0
        }
        return Self.isServerProcess(pid, of: layout)
    }

    /// Processes of the server that outlived their postmaster: they keep the shared memory that a new one waits for.
    static func leftovers(in layout: ClusterLayout) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { isServerProcess($0, of: layout) }
    }

    /// A server process is told by its working directory, which each one sets to its cluster, and by its program.
    private static func isServerProcess(_ pid: pid_t, of layout: ClusterLayout) -> Bool {
        let files = FileManager.default
        // A zombie has no links any more, so it does not count.
        guard pid > 1, let directory = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd"),
            directory == layout.cluster,
            let program = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
        else { return false }
        // "(deleted)" follows after an upgrade of the package.
        return program.split(separator: "/").last?.hasPrefix("postgres") ?? false
    }
}

extension Postmaster {
    /// The directory holds no character that needs quoting (`ClusterLayout.isUsableForSocket`), or comes from
    /// `postmaster.pid`, where we put it.
    func conninfo(database: String, role: String) -> String {
        let parts = [("host", socketDirectory), ("port", String(port)), ("user", role), ("dbname", database)]
        return parts.map { key, value in
            let escaped = value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'")
            return "\(key)='\(escaped)'"
        }.joined(separator: " ")
    }
}
