/// A statement, and its values, that begins a transaction; its result is dropped.
public struct Prologue: Sendable {
    public var statement: Statement
    public var values: [PostgresValue]

    public init(_ statement: Statement, _ values: [PostgresValue] = []) {
        self.statement = statement
        self.values = values
    }
}

/// Where a server is and how to talk to it.
public struct PostgresConfiguration: Sendable {
    /// A libpq connection string: a URL or keyword form, several hosts allowed (`target_session_attrs` too).
    /// What it says wins over the defaults set here (keepalives, application name).
    public var conninfo: String
    /// Seconds for each host to accept and authenticate. libpq's smallest is 2.
    public var connectTimeout: Int = 10
    /// The server cancels a statement that runs longer (milliseconds). Nil: no limit.
    /// Not sent when `usesPreparedStatements` is false: PgBouncer would refuse the startup parameter.
    /// It never strikes during a commit; see also `silenceTimeoutMilliseconds`.
    public var statementTimeoutMilliseconds: Int?
    /// The connection is given up when an answer is due and nothing came for this long (milliseconds).
    /// Nil: the statement timeout plus 5 s; with neither, only TCP finds a dead peer (`vanishedSeconds`).
    /// What the server did is then unknown (`PostgresError.outcomeIsUnknown`).
    public var silenceTimeoutMilliseconds: Int?
    /// How many seconds it takes until a host is noticed to have vanished, over TCP: it answers no keepalive, or does
    /// not take what it is sent.
    public var vanishedSeconds: Int = 25
    /// Connects to no server that takes no writes: a standby, or a primary that was made read-only. Where conninfo
    /// names several hosts, to the first that does. What conninfo says (`target_session_attrs`) wins.
    public var requiresWrites = false
    /// Ends all waits, connecting included.
    public var interrupt: PostgresInterrupt?
    /// Shown in `pg_stat_activity`.
    public var applicationName: String = "focus-sync"
    /// False for a PgBouncer before 1.21 in transaction mode: every query is then parsed anew (PQexecParams).
    public var usesPreparedStatements: Bool = true
    /// Server settings of the session, sent at connect (`["synchronous_commit": "off"]`). PgBouncer refuses them.
    public var settings: [String: String] = [:]
    /// Runs first in every transaction, also in that of a single statement, in the same round trip: role and settings
    /// for it alone (`set_config(…, true)`), where a pooler in transaction mode keeps nothing of a session. Not before
    /// `execute` outside a transaction, and not before a COPY there.
    public var prologue: Prologue?
    /// Called on the connection's thread for each notice or warning. Nil: they are dropped.
    public var onNotice: (@Sendable (PostgresNotice) -> Void)?

    public init(
        conninfo: String,
        statementTimeoutMilliseconds: Int? = nil,
        applicationName: String = "focus-sync",
        usesPreparedStatements: Bool = true
    ) {
        self.conninfo = conninfo
        self.statementTimeoutMilliseconds = statementTimeoutMilliseconds
        self.applicationName = applicationName
        self.usesPreparedStatements = usesPreparedStatements
    }

    /// How long the client waits for the next byte of an answer; see `silenceTimeoutMilliseconds`.
    var silenceLimit: Duration? {
        if let silenceTimeoutMilliseconds { return .milliseconds(silenceTimeoutMilliseconds) }
        return statementTimeoutMilliseconds.map { .milliseconds($0) + .seconds(5) }
    }
}
