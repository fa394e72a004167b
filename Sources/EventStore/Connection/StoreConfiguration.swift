import PostgresClient

/// How a server reaches its log.
public struct StoreConfiguration: Sendable {
    let postgres: PostgresConfiguration
    /// False where the connecting role is the server's own already (behind a pooler, say).
    let assumesRole: Bool

    /// - Parameter postgres: connects as a role that may act as the server's role, unless `assumesRole` is false.
    public init(_ postgres: PostgresConfiguration, assumesRole: Bool = true) {
        self.postgres = postgres
        self.assumesRole = assumesRole
    }

    /// The same log for work that may lose its last transactions in a crash, as the log has it all: projections.
    public var withAsynchronousCommit: StoreConfiguration {
        var copy = postgres
        copy.settings["synchronous_commit"] = "off"
        return StoreConfiguration(copy, assumesRole: assumesRole)
    }
}

/// The caller is to end while the database is away.
public struct StoreStopped: Error, Sendable {
    public init() {}
}
