import Foundation

/// One of PostgreSQL's own programs, of the version that fits a cluster.
struct BackupTool {
    private let path: String
    private let name: String

    /// - Parameter cluster: the cluster whose major version it must have; nil: the newest there is, which serves older
    ///   servers too.
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

    /// Runs it to its end, however long that takes. Throws `.interrupted` once the flag is set, when it has ended.
    /// - Parameters:
    ///   - password: what it gives PostgreSQL, without showing it to others; nil: what our own environment says.
    ///   - output: gets all that it has said so far, twice a second.
    func run(
        _ arguments: [String], password: String? = nil, unless flag: StopFlag, output: (String) -> Void = { _ in }
    ) throws(BackupError) {
        let file: TemporaryFile
        do {
            file = try TemporaryFile("focusctl-backup")
        } catch {
            throw .cannotWrite(TemporaryFile.directory, reason: error.reason)
        }
        let pid: pid_t
        do {
            pid = try Executable.spawn(
                [path] + arguments, log: file.path, inheriting: ["HOME", "PGPASSWORD", "PGPASSFILE"],
                adding: password.map { ["PGPASSWORD": $0] } ?? [:])
        } catch {
            throw .cluster(error)
        }
        var status: Int32 = 0
        var polls = 0
        while waitpid(pid, &status, WNOHANG) == 0 {
            usleep(20_000)
            // In a session of its own, it hears nothing of Ctrl-C.
            if flag.isSet { kill(pid, SIGTERM) }
            polls += 1
            if polls % 25 == 0 { output(file.text ?? "") }
        }
        guard !flag.isSet else { throw .interrupted }
        output(file.text ?? "")
        guard status == 0 else { throw .failed(name, output: String((file.text ?? "").suffix(4_000))) }
    }
}
