/// One thing that a rule demands, and how to see whether a server does it.
public struct ConformanceCase: Sendable {
    /// The rule's name in Schema/README.md, for example `P2`.
    public let rule: String
    /// What must be so, in one sentence.
    public let title: String
    /// What must be given for it; without one of these it is skipped.
    public let needs: [ConformanceNeed]
    /// It mostly waits for a time that the protocol names: it runs beside all others, from the beginning.
    public let isLong: Bool
    /// Returns the seconds that it measured, if it is about a time.
    let body: @Sendable (Site) async throws -> Double?

    init(
        _ rule: String, _ title: String, needs: [ConformanceNeed] = [], isLong: Bool = false,
        _ body: @escaping @Sendable (Site) async throws -> Void
    ) {
        self.rule = rule
        self.title = title
        self.needs = needs
        self.isLong = isLong
        self.body = { site in
            try await body(site)
            return nil
        }
    }

    /// Of a rule that names a time. The machine that is judged on may be loaded: the limit is wider, the title says it,
    /// and what was measured is in the result.
    /// - Parameters:
    ///   - limit: seconds from which on the case fails.
    ///   - measured: returns seconds.
    init(
        _ rule: String, _ title: String, needs: [ConformanceNeed] = [], limit: Double,
        measured: @escaping @Sendable (Site) async throws -> Double
    ) {
        self.rule = rule
        self.title = "\(title) (fails from \(Int(limit)) s on)"
        self.needs = needs
        isLong = false
        body = { site in
            let seconds = try await measured(site)
            try expect(seconds < limit, "it took \(seconds) s")
            return seconds
        }
    }

    /// No other case may run beside it.
    var isExclusive: Bool { needs.contains { $0.hurts } }
}

/// What only the one who runs the suite can give.
public enum ConformanceNeed: String, Hashable, Sendable, CaseIterable {
    /// A command that kills the server (SIGKILL), starts it again and returns when it accepts.
    case restartServer = "restart-server"
    /// A command after which the server accepts, and dies by itself between the next commit and its acknowledgement.
    case crashServer = "crash-server"
    /// A command that sends SIGTERM, fails unless the server exits 0, starts it again and returns when it accepts.
    case terminateServer = "terminate-server"
    /// A command that restarts PostgreSQL, and may return at once.
    case restartDatabase = "restart-database"
    /// A command after which no notification of PostgreSQL reaches a server, and its opposite.
    case stopNotifications = "stop-notifications"
    case startNotifications = "start-notifications"
    /// A command that builds the read model anew, and returns when devices are served from it.
    case rebuild
    /// A command that sets the log back to a backup of before the suite began, and returns when all servers accept.
    case restoreDatabase = "restore-database"
    /// The address of another server on the same log.
    case secondServer = "server"

    /// As one asks for it on a command line.
    public var option: String { self == .secondServer ? "a second --server" : "--\(rawValue)" }

    /// Whether it disturbs everybody whom the server serves.
    var hurts: Bool {
        switch self {
        case .restartServer, .crashServer, .terminateServer, .restartDatabase, .stopNotifications, .startNotifications,
            .rebuild, .restoreDatabase:
            true
        case .secondServer: false
        }
    }
}

/// What became of a case.
public struct CaseResult: Sendable {
    public enum Outcome: Hashable, Sendable {
        case passed
        case failed(String)
        case skipped(String)
    }

    public let rule: String
    public let title: String
    public let outcome: Outcome
    /// That the case took.
    public let seconds: Double
    /// That the server took for what the rule gives a time for; nil: it gives none, or the case did not pass.
    public let measuredSeconds: Double?

    public init(rule: String, title: String, outcome: Outcome, seconds: Double, measuredSeconds: Double? = nil) {
        self.rule = rule
        self.title = title
        self.outcome = outcome
        self.seconds = seconds
        self.measuredSeconds = measuredSeconds
    }

    public var hasFailed: Bool {
        if case .failed = outcome { true } else { false }
    }
}

/// The server did something else than the rule demands.
struct CaseFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// - Parameter what: what is wrong when `condition` is false.
func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw CaseFailure(what()) }
}
