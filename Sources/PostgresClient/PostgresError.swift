/// What went wrong between us and PostgreSQL.
///
/// `description` holds nothing of a statement, parameter or row, so it may be shown; `message` may.
public struct PostgresError: Error, Sendable, Hashable {
    /// What a caller can decide on. Mapped from SQLSTATE in one place, `Kind.init(sqlState:…)`.
    public enum Kind: Sendable, Hashable {
        /// The connection broke, or the server ended it (57P01, 57P02, …), or was silent for too long.
        case connectionLost
        /// No connection could be made: no such host, refused, wrong password, no such database.
        case cannotConnect
        /// The server takes no connections for now: it starts, stops or recovers (57P03).
        case shuttingDown
        /// The server's connection slots are used up (53300).
        case tooManyConnections
        /// The statement timeout struck (57014).
        case timeout
        /// Somebody cancelled the statement (57014).
        case cancelled
        /// A lock was not to be had in time or at once (55P03).
        case lockNotAvailable
        /// Deadlock or serialization failure: nothing happened, the transaction may be tried again (40001, 40P01).
        case serializationFailure
        /// The commit is durable here but maybe not on the synchronous standby.
        case replicationUnconfirmed
        /// A unique or primary key already has the row (23505).
        case uniqueViolation(constraint: String)
        /// Any other constraint (23502, 23503, 23514, 23P01).
        case constraintViolation(constraint: String)
        /// The role may not do this (42501).
        case insufficientPrivilege
        /// The server is a standby or the transaction is read-only (25006).
        case readOnly
        /// A trigger or function raised an exception (P0001).
        case raised
        /// The statement does not fit the schema or the grammar (class 42).
        case syntax
        /// A value does not fit its type (class 22).
        case invalidData
        /// Memory, disk or a configured limit is used up (class 53, 54).
        case insufficientResources
        /// A failed transaction was asked to go on or to commit (25P02).
        case transactionAborted
        /// A result was read as a type it does not have, or NULL as a value. Nothing to do with the server.
        case decoding
        /// A parameter or a call does not fit libpq's rules. Nothing to do with the server.
        case usage
        case other
    }

    public let kind: Kind
    /// Five characters; nil when the server did not speak.
    public let sqlState: String?
    /// The server's primary message. It can hold values: for logs only.
    public let message: String
    /// The constraint's name, for violations.
    public let constraint: String?
    /// The name of the statement, if one was running.
    public internal(set) var statement: String?

    public init(
        kind: Kind, sqlState: String? = nil, message: String, constraint: String? = nil, statement: String? = nil
    ) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.constraint = constraint
        self.statement = statement
    }

    /// True when the statement may or may not have been committed: ask the database on another connection.
    public var outcomeIsUnknown: Bool { kind == .connectionLost || kind == .replicationUnconfirmed }

    /// True when the same work may succeed on a new connection or a little later.
    public var isTransient: Bool {
        switch kind {
        case .connectionLost, .cannotConnect, .shuttingDown, .tooManyConnections, .lockNotAvailable,
            .serializationFailure, .timeout, .readOnly, .insufficientResources:
            true
        case .cancelled, .replicationUnconfirmed, .uniqueViolation, .constraintViolation, .insufficientPrivilege,
            .raised, .syntax, .invalidData, .transactionAborted, .decoding, .usage, .other:
            false
        }
    }

    /// True when the statement was refused for the values that it had: with others it may succeed.
    public var isAboutValues: Bool {
        switch kind {
        case .invalidData, .constraintViolation, .uniqueViolation, .usage: true
        case .insufficientResources: isProgramLimit
        case .connectionLost, .cannotConnect, .shuttingDown, .tooManyConnections, .timeout, .cancelled,
            .lockNotAvailable, .serializationFailure, .replicationUnconfirmed, .insufficientPrivilege, .readOnly,
            .raised, .syntax, .transactionAborted, .decoding, .other:
            false
        }
    }

    /// True when a limit of the program was met, such as the size of an index row (class 54); not when memory or the
    /// disk is used up (class 53), which other statements meet as well.
    public var isProgramLimit: Bool { sqlState?.hasPrefix("54") == true }

    func during(_ statement: Statement) -> PostgresError {
        var copy = self
        copy.statement = copy.statement ?? statement.name
        return copy
    }
}

extension PostgresError: CustomStringConvertible {
    /// Kind, SQLSTATE, statement name; of a server that only reads, why that may be. The message only of a connection
    /// that could not be made: it names host, port, role or database and the reason, and nothing of a statement is there
    /// yet.
    public var description: String {
        if kind == .cannotConnect, statement == nil, !message.isEmpty {
            return "PostgreSQL cannot be reached: "
                + message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        var text = kind == .readOnly ? "PostgreSQL only reads: it is a standby, or still recovers" : "PostgreSQL: \(kind)"
        if let sqlState { text += " [\(sqlState)]" }
        if let statement { text += " in \(statement)" }
        return text
    }
}

extension PostgresError {
    /// Whether the statement names a table or schema that is not there, or not any more.
    public var isUndefinedTable: Bool { sqlState == "42P01" || sqlState == "3F000" }
}
