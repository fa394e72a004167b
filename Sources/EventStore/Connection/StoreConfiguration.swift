import FocusCore
import PostgresClient

/// How a server reaches its log.
public struct StoreConfiguration: Sendable {
    let postgres: PostgresConfiguration
    /// False where the connecting role is the server's own already (behind a pooler, say).
    let assumesRole: Bool
    /// What users are folded by.
    let rules: FoldRules

    /// - Parameters:
    ///   - postgres: connects as a role that may act as the server's role, unless `assumesRole` is false.
    ///   - rules: others than `current` are for tests: every program that writes must have the same.
    public init(_ postgres: PostgresConfiguration, assumesRole: Bool = true, rules: FoldRules = .current) {
        self.rules = rules
        self.postgres = postgres
        self.assumesRole = assumesRole
    }

    /// The same log for work that may lose its last transactions in a crash, as the log has it all: projections.
    public var withAsynchronousCommit: StoreConfiguration {
        var copy = postgres
        copy.settings["synchronous_commit"] = "off"
        return StoreConfiguration(copy, assumesRole: assumesRole, rules: rules)
    }
}

/// The caller is to end while the database is away.
public struct StoreStopped: Error, Sendable {
    public init() {}
}
