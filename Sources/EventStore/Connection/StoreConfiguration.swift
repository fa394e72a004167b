import FocusCore
import PostgresClient

/// How a server reaches its log.
public struct StoreConfiguration: Sendable {
    let postgres: PostgresConfiguration
    /// Whether a session gives up what its role may beyond the server's own role. Through a pooler in transaction mode,
    /// which keeps no session, every transaction does instead (`PostgresConfiguration.prologue`).
    let assumesRole: Bool
    /// The rules by which users are folded.
    let rules: FoldRules
    /// Whether PostgreSQL runs on this machine, and nobody else uses it: its processes get the slices of our threads.
    private(set) var sharesProcessors = false

    /// - Parameters:
    ///   - postgres: connects as a role that may act as the server's role, unless `assumesRole` is false. Without
    ///     prepared statements it goes through a pooler in transaction mode: then nothing is kept in the session.
    ///   - assumesRole: false where the connecting role is the server's own already.
    ///   - rules: others than `current` are for tests: every program that writes must have the same.
    public init(_ postgres: PostgresConfiguration, assumesRole: Bool = true, rules: FoldRules = .current) {
        self.rules = rules
        let isPooled = !postgres.usesPreparedStatements
        var postgres = postgres
        if isPooled, assumesRole { postgres.prologue = SessionRole.prologue() }
        // All statements go by keys, and their plans do not depend on which. Without this PostgreSQL plans the load of
        // users, a union over every table, for each user anew: 1.5 ms, where running it takes 0.5.
        if !isPooled { postgres.settings["plan_cache_mode"] = "force_generic_plan" }
        self.postgres = postgres
        self.assumesRole = assumesRole && !isPooled
    }

    private init(as other: StoreConfiguration, _ postgres: PostgresConfiguration) {
        self.postgres = postgres
        assumesRole = other.assumesRole
        rules = other.rules
        sharesProcessors = other.sharesProcessors
    }

    /// The same log, whose PostgreSQL runs on this machine for this program alone. What PostgreSQL does for a thread
    /// then goes before others, or after them, as the thread does.
    public var sharingProcessors: StoreConfiguration {
        var copy = self
        copy.sharesProcessors = true
        return copy
    }

    /// The same log, over connections that PostgreSQL shows by this name.
    func named(_ name: String) -> StoreConfiguration {
        var copy = postgres
        copy.applicationName = name
        return StoreConfiguration(as: self, copy)
    }

    /// The same log for a server, which runs for long and must not wait for ever: over connections to a database that
    /// takes writes, and none of which bears silence for longer than half a minute.
    ///
    /// No limit is set on the database's side, because a commit that waits for a synchronous standby must not be
    /// cancelled: it would become visible without it.
    /// - Parameter interruption: ends all waits when the server stops.
    public func serving(_ interruption: StoreInterruption) -> StoreConfiguration {
        var copy = postgres
        copy.requiresWrites = true
        copy.interrupt = interruption.interrupt
        copy.silenceTimeoutMilliseconds = copy.silenceTimeoutMilliseconds ?? Self.silenceMilliseconds
        copy.vanishedSeconds = 10
        copy.connectTimeout = 5
        return StoreConfiguration(as: self, copy)
    }

    /// How long the next byte of an answer may take.
    private static let silenceMilliseconds = 30_000

    /// The same log for work that only reads. The database ends a statement that takes too long, before the connection
    /// is given up: it would otherwise be begun again for ever.
    public var forReading: StoreConfiguration {
        guard let silence = postgres.silenceTimeoutMilliseconds else { return self }
        var copy = postgres
        copy.statementTimeoutMilliseconds = silence - silence / 6
        return StoreConfiguration(as: self, copy)
    }

    /// The same log for work whose last transactions may be lost in a crash: for projections, because the log holds all
    /// that they write.
    public var withAsynchronousCommit: StoreConfiguration {
        var copy = postgres
        if copy.prologue != nil {
            copy.prologue = SessionRole.prologue(synchronousCommit: "off")
        } else if copy.usesPreparedStatements {
            copy.settings["synchronous_commit"] = "off"
        }
        return StoreConfiguration(as: self, copy)
    }
}

/// Ends the waits for the database of everything that was configured with it (`StoreConfiguration.serving`).
public final class StoreInterruption: Sendable {
    let interrupt = PostgresInterrupt()

    public init() {}

    public var isRaised: Bool { interrupt.isRaised }

    /// From now on nobody waits for the database any more. What is under way fails, and its outcome is unknown.
    public func raise() { interrupt.raise() }
}

/// A wait or a long piece of work ended because the caller is stopping.
public struct StoreStopped: Error, Sendable {
    public init() {}
}
