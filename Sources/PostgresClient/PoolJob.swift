import Synchronization

/// A request in the pool's queue, whatever it returns.
protocol PoolWork: AnyObject, Sendable {
    /// Whether it still waits for a thread. False when it runs or was answered, as after a cancellation.
    var isWaiting: Bool { get }
    /// Runs the body and answers.
    func run(on connection: PostgresConnection)
    /// Answers with an error, unless it runs or was answered.
    func fail(_ error: any Error)
}

final class PoolJob<T: Sendable>: PoolWork {
    private enum State {
        case created
        case waiting(CheckedContinuation<T, any Error>)
        /// Cancelled before it had a continuation.
        case failed(any Error)
        /// Running or answered: whoever took the continuation answers it, once.
        case taken
    }

    private let body: @Sendable (PostgresConnection) throws -> T
    private let state = Mutex<State>(.created)

    init(_ body: @escaping @Sendable (PostgresConnection) throws -> T) { self.body = body }

    var isWaiting: Bool {
        state.withLock { state in
            if case .waiting = state { return true }
            return false
        }
    }

    func start(_ continuation: CheckedContinuation<T, any Error>) {
        let failure: (any Error)? = state.withLock { state in
            if case .failed(let error) = state {
                state = .taken
                return error
            }
            state = .waiting(continuation)
            return nil
        }
        if let failure { continuation.resume(throwing: failure) }
    }

    func run(on connection: PostgresConnection) {
        guard let continuation = take() else { return }
        continuation.resume(with: Result { try body(connection) })
    }

    func fail(_ error: any Error) {
        let continuation: CheckedContinuation<T, any Error>? = state.withLock { state in
            switch state {
            case .created:
                state = .failed(error)
                return nil
            case .waiting(let continuation):
                state = .taken
                return continuation
            case .failed, .taken: return nil
            }
        }
        continuation?.resume(throwing: error)
    }

    private func take() -> CheckedContinuation<T, any Error>? {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .taken
            return continuation
        }
    }
}
