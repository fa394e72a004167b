import CLibPQ
import Foundation

/// One connection to PostgreSQL through libpq.
///
/// PostgresClient knows SQL's transport and nothing of events. A connection is confined to one thread at a time, all
/// its calls block, and what fails comes out as a `PostgresError`. Other threads use `cancellation`.
///
/// Flow: `Statement` + `[PostgresValue]` → binary message → libpq (nonblocking, waited for with `poll` under a
/// deadline) → `PostgresResult`.
public final class PostgresConnection {
    public let configuration: PostgresConfiguration
    /// Cancels what this connection is doing, from any thread. It stays valid, and without effect, after `close`.
    public let cancellation: PostgresCancellation

    let handle: ConnectionHandle
    var prepared = PreparedStatements()
    var parameters = Parameters()
    /// True from a failure of the transport on: the protocol's state is unknown.
    var isBroken = false
    /// Whether the connection was given up while an answer was due, because nothing came in time or because of an
    /// interrupt. The server may still be at work on it.
    public internal(set) var isAbandoned = false
    /// How long the next byte of an answer may take; nil: for ever. At first `silenceTimeoutMilliseconds`.
    public var silenceLimit: Duration?
    /// Called on the connection's thread again and again while it waits for an answer. It must not use the connection.
    public var whileWaiting: (() -> Void)?
    /// How many statements were handed to the server since the connection was made. Preparing one does not count.
    public internal(set) var statementCount = 0
    /// Whether a COPY's callback runs: the connection can then do nothing else.
    var isCopying = false

    /// Connects.
    /// - Parameter whileWaiting: see the property; called while connecting, too.
    /// - Throws: `.cannotConnect`, `.shuttingDown`, `.tooManyConnections`, `.usage` (malformed conninfo),
    ///   `.connectionLost` (interrupted).
    public init(
        _ configuration: PostgresConfiguration, whileWaiting: (() -> Void)? = nil
    ) throws(PostgresError) {
        self.configuration = configuration
        self.whileWaiting = whileWaiting
        silenceLimit = configuration.silenceLimit
        handle = try ConnectionHandle(configuration, whileWaiting)
        cancellation = PostgresCancellation(handle.pointer)
    }

    /// False once the connection is broken or closed: make another one.
    public var isUsable: Bool { !isBroken && PQstatus(handle.pointer) == CONNECTION_OK }

    /// True outside any transaction.
    public var isIdle: Bool { isUsable && PQtransactionStatus(handle.pointer) == PQTRANS_IDLE }

    /// The server's process, as in `pg_stat_activity.pid`.
    public var backendPID: Int32 { PQbackendPID(handle.pointer) }

    /// Ends the session. Every later call throws `.connectionLost`. `deinit` ends it too.
    public func close() {
        isBroken = true
        cancellation.invalidate()
        handle.finish()
    }

    deinit { cancellation.invalidate() }
}

@available(*, unavailable, message: "confined to one thread; use PostgresCancellation")
extension PostgresConnection: Sendable {}
