import CLibPQ
import Synchronization

/// Cancels the statement that a connection is running. May be used from any thread, also after the connection ended.
public final class PostgresCancellation: Sendable {
    private let handle: Mutex<CancelHandle>

    init(_ connection: OpaquePointer?) { handle = Mutex(CancelHandle(pointer: PQgetCancel(connection))) }

    /// Asks the server to cancel, over a connection of its own, and blocks until it has taken the request.
    /// The statement then ends with `.cancelled`, unless it ended before: the next one could be hit instead.
    /// With a synchronous standby, a commit that is cancelled ends with `.replicationUnconfirmed`.
    /// - Returns: false when the request could not be delivered or the connection is closed.
    @discardableResult
    public func cancel() -> Bool {
        handle.withLock { handle in
            guard let pointer = handle.pointer else { return false }
            var reason = [CChar](repeating: 0, count: 256)
            return PQcancel(pointer, &reason, Int32(reason.count)) == 1
        }
    }

    func invalidate() { handle.withLock { $0.free() } }
}

/// Owns the `PGcancel`.
private struct CancelHandle: ~Copyable {
    // A PGcancel is plain data, made once and only read by PQcancel, which the manual calls thread-safe.
    nonisolated(unsafe) var pointer: OpaquePointer?

    mutating func free() {
        PQfreeCancel(pointer)
        pointer = nil
    }

    deinit { PQfreeCancel(pointer) }
}
