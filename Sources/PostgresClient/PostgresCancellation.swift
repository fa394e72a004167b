import CLibPQ
import Synchronization

/// Cancels the statement that a connection is running. May be used from any thread, also after the connection ended.
public final class PostgresCancellation: Sendable {
    private struct State {
        var handle: CancelHandle?
        /// Whether a thread of `request` is asking.
        var isAsking = false
    }

    private let state: Mutex<State>

    init(_ connection: OpaquePointer?) {
        state = Mutex(State(handle: PQgetCancel(connection).map(CancelHandle.init)))
    }

    /// Asks the server to cancel, over a connection of its own, and blocks until it has taken the request: for ever, if
    /// it says nothing. The statement then ends with `.cancelled`, unless it ended before: the next one could be hit
    /// instead. With a synchronous standby, a commit that is cancelled ends with `.replicationUnconfirmed`.
    /// - Returns: false when the request could not be delivered or the connection is closed.
    @discardableResult
    public func cancel() -> Bool {
        // Nothing is locked meanwhile: whoever closes the connection must not wait for a silent server.
        guard let handle = state.withLock({ $0.handle }) else { return false }
        return handle.cancel()
    }

    /// Asks on a thread of its own, and waits for nothing. Does nothing while it is asking already.
    public func request() {
        let handle: CancelHandle? = state.withLock { state in
            guard !state.isAsking, let handle = state.handle else { return nil }
            state.isAsking = true
            return handle
        }
        guard let handle else { return }
        // Without a thread nothing is cancelled, and the server finds out by itself that nobody reads its answer.
        _ = try? PostgresThread(name: "cancel") { [self] in
            handle.cancel()
            state.withLock { $0.isAsking = false }
        }
    }

    func invalidate() { state.withLock { $0.handle = nil } }
}

/// Owns the `PGcancel`.
// @unchecked: a PGcancel is plain data, made once and only read by PQcancel, which the manual calls thread-safe.
private final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    @discardableResult
    func cancel() -> Bool {
        var reason = [CChar](repeating: 0, count: 256)
        return PQcancel(pointer, &reason, Int32(reason.count)) == 1
    }

    deinit { PQfreeCancel(pointer) }
}
