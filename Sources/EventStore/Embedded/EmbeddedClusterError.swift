import PostgresClient

/// Why the embedded cluster cannot be started or stopped. `description` is written for the operator.
public enum EmbeddedClusterError: Error, Sendable {
    /// No installed PostgreSQL (of the cluster's major version) was found.
    case noBinaries(searched: [String], version: String?)
    /// Another process holds the data directory.
    case alreadyRunning(dataDirectory: String, pid: Int32?)
    /// The directory cannot be made, written, or reached by the user that runs the server.
    case unusableDirectory(String, reason: String)
    /// We are root and there is no user to run the server as.
    case noUser(String)
    /// A program could not be run or failed; `log` is the end of its output.
    case failed(String, log: String)
    /// The server did not become ready in time; `log` is the end of its log.
    case notReady(after: Duration, log: String)
    /// The start was given up because somebody asked for it (`StopFlag`).
    case stopped
    /// The server does not end.
    case notStopped(pid: Int32)
    /// The server runs but does not serve us.
    case database(PostgresError)
}

extension EmbeddedClusterError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noBinaries(let searched, let version):
            "no PostgreSQL\(version.map { " \($0)" } ?? "") server found in \(searched.joined(separator: ", ")); "
                + "install it (Debian: apt install postgresql) or use --database"
        case .alreadyRunning(let directory, let pid):
            "data directory \(directory) is in use by \(pid.map { "process \($0)" } ?? "another process"); "
                + "stop it or choose another directory with --data-dir"
        case .unusableDirectory(let directory, let reason):
            "directory \(directory) cannot be used: \(reason)"
        case .noUser(let name):
            "PostgreSQL refuses to run as root and there is no user \(name); create one with: "
                + "useradd --system --shell /usr/sbin/nologin focusd"
        case .failed(let what, let log):
            "\(what)\(log.isEmpty ? "" : "; its last output:\n\(log)")"
        case .notReady(let limit, let log):
            "PostgreSQL was not ready after \(limit)\(log.isEmpty ? "" : "; the end of its log:\n\(log)")"
        case .stopped: "the start of PostgreSQL was given up, as was asked for"
        case .notStopped(let pid):
            "PostgreSQL (process \(pid)) does not stop"
        case .database(let error):
            "\(error): \(error.message)"
        }
    }
}
