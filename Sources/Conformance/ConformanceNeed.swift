/// What only the operator who runs the suite can give.
public enum ConformanceNeed: String, Hashable, Sendable, CaseIterable {
    /// A command that kills the server (SIGKILL), starts it again and returns when it accepts.
    case restartServer = "restart-server"
    /// A command after which the server accepts connections, and dies by itself between the next commit and its
    /// acknowledgement.
    case crashServer = "crash-server"
    /// A command that sends SIGTERM, fails unless the server exits 0, starts it again and returns when it accepts.
    case terminateServer = "terminate-server"
    /// A command that restarts PostgreSQL, and may return at once.
    case restartDatabase = "restart-database"
    /// A command after which no notification of PostgreSQL reaches a server, and one that ends that.
    case stopNotifications = "stop-notifications"
    case startNotifications = "start-notifications"
    /// A command that builds the read model anew, and returns when devices are served from it.
    case rebuild
    /// A command that sets the log back to a backup from before the suite began, and returns when all servers accept
    /// connections.
    case restoreDatabase = "restore-database"
    /// The address of another server on the same log.
    case secondServer = "server"

    /// The option of `focus-conformance` that gives it.
    public var option: String { self == .secondServer ? "a second --server" : "--\(rawValue)" }

    /// Whether it disturbs everyone who uses the server.
    var hurts: Bool {
        switch self {
        case .restartServer, .crashServer, .terminateServer, .restartDatabase, .stopNotifications, .startNotifications,
            .rebuild, .restoreDatabase:
            true
        case .secondServer: false
        }
    }
}
