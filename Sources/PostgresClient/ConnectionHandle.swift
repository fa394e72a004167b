import CLibPQ
import Foundation

/// Owns the `PGconn`: opened at init, finished once.
final class ConnectionHandle {
    private(set) var pointer: OpaquePointer?
    /// Lives as long as the connection: libpq calls back into it.
    let notices: NoticeBox

    init(_ configuration: PostgresConfiguration, _ whileWaiting: (() -> Void)?) throws(PostgresError) {
        notices = NoticeBox(configuration.onNotice)
        let parameters = try ConnectionParameters(configuration)
        if configuration.interrupt == nil, whileWaiting == nil {
            pointer = parameters.connect()
        } else {
            pointer = try ConnectionAttempt.connect(parameters, configuration.interrupt) { whileWaiting?() }
        }
        guard let pointer else { throw PostgresError(kind: .insufficientResources, message: "out of memory") }
        guard PQstatus(pointer) == CONNECTION_OK else {
            let error = Self.connectError(pointer)
            finish()
            throw error
        }
        notices.install(on: pointer)
        // All waiting is ours: `poll` with a deadline instead of libpq's endless one.
        PQsetnonblocking(pointer, 1)
    }

    func finish() {
        PQfinish(pointer)
        pointer = nil
    }

    deinit { PQfinish(pointer) }

    /// libpq 15 gives no SQLSTATE for a failed attempt, so the two that matter are read off the text; it comes before
    /// the session knows its language, so a server that does not speak English gives `.cannotConnect`.
    private static func connectError(_ pointer: OpaquePointer) -> PostgresError {
        let error = PostgresError(kind: .cannotConnect, connection: pointer)
        let message = error.message
        let state: String? =
            if message.contains("too many clients") || message.contains("remaining connection slots")
                || message.contains("too many connections")
            {
                "53300"
            } else if message.contains("the database system is") {
                "57P03"
            } else if message.contains("FATAL:  database \"") && message.hasSuffix("does not exist") {
                "3D000"
            } else {
                nil
            }
        guard let state else { return error }
        let kind = PostgresError.Kind(sqlState: state, isConnecting: true)
        return PostgresError(kind: kind, sqlState: state, message: message)
    }
}
