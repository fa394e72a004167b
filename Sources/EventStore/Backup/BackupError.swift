/// Why a backup cannot be made, checked or restored. `description` is written for the operator.
public enum BackupError: Error, Sendable, CustomStringConvertible {
    /// Nothing is written over: the place must be new, or an empty directory.
    case notEmpty(String)
    /// There is no backup of `focusctl backup` in the directory.
    case notABackup(String)
    /// The backup is of an operator's own PostgreSQL, on which no focusd starts one of its own.
    case notEmbedded(String)
    case noTool(String, directory: String)
    /// A program failed; `output` is the end of what it said.
    case failed(String, output: String)
    /// The files are not those that were backed up.
    case damaged(String, output: String)
    case cannotWrite(String, reason: String)
    /// It was stopped before its end.
    case interrupted
    case cluster(EmbeddedClusterError)

    public var description: String {
        switch self {
        case .notEmpty(let path): "\(path) is not empty, and nothing is written over. Give a new directory."
        case .notABackup(let path): "\(path) holds no backup (postgres/backup_manifest is missing)."
        case .notEmbedded(let path):
            """
            The backup in \(path) is of a PostgreSQL server of yours. Restore it with --pgdata, start PostgreSQL on it, \
            and give focusd the --database.
            """
        case .noTool(let name, let directory):
            "\(name) is not in \(directory). Install PostgreSQL's server package (Debian: apt install postgresql)."
        case .failed(let what, let output): "\(what) failed\(output.isEmpty ? "" : ":\n\(output)")"
        case .damaged(let path, let output):
            "The backup in \(path) is damaged; restore another one.\n\(output)"
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)"
        case .interrupted: "Interrupted. What is there so far is of no use: remove it before the next attempt."
        case .cluster(let error): error.description
        }
    }
}
