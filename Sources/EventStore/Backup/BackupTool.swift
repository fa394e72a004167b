import Foundation

/// One of PostgreSQL's own programs, of the version that fits.
struct BackupTool {
    private let path: String
    private let name: String

    /// - Parameter cluster: whose major version it must have; nil: the newest there is, which serves older servers too.
    init(_ name: String, for cluster: String?, _ settings: EmbeddedClusterSettings) throws(BackupError) {
        let version = cluster.flatMap { try? String(contentsOfFile: $0 + "/PG_VERSION", encoding: .utf8) }
        let binaries: PostgresBinaries
        do {
            binaries = try PostgresBinaries.find(
                in: settings.binDirectory,
                clusterVersion: version?.trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
            throw .cluster(error)
        }
        self.name = name
        path = "\(binaries.directory)/\(name)"
        guard access(path, X_OK) == 0 else { throw .noTool(name, directory: binaries.directory) }
    }

    /// Runs it to its end, however long that takes.
    /// - Parameter output: gets all that it has said so far, twice a second.
    func run(_ arguments: [String], output: (String) -> Void = { _ in }) throws(BackupError) {
        var file = Array("/tmp/focusctl-backup-XXXXXX".utf8CString)
        let descriptor = mkstemp(&file)
        guard descriptor >= 0 else { throw .cannotWrite("/tmp", reason: String(cString: strerror(errno))) }
        close(descriptor)
        let log = String(decoding: file.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(log) }
        let pid: pid_t
        do {
            pid = try Executable.spawn([path] + arguments, log: log, inheriting: ["HOME", "PGPASSWORD", "PGPASSFILE"])
        } catch {
            throw .cluster(error)
        }
        var status: Int32 = 0
        var polls = 0
        while waitpid(pid, &status, WNOHANG) == 0 {
            usleep(20_000)
            polls += 1
            if polls % 25 == 0 { output(text(log)) }
        }
        output(text(log))
        guard status == 0 else { throw .failed(name, output: String(text(log).suffix(4_000))) }
    }

    private func text(_ log: String) -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
}
