import Dispatch
import NIOConcurrencyHelpers

/// A few chunks between the thread that reads them and the one that consumes them: the reader waits while it is full.
final class ReplayQueue: Sendable {
    /// One being consumed, one ready, one being read.
    static let depth = 2

    private struct State {
        var chunks: [Result<ReplayChunk, any Error>] = []
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())
    // Begins at 0 and is raised: a semaphore must not die below the value it was made with.
    private let room = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)

    init() {
        for _ in 0..<Self.depth { room.signal() }
    }

    /// Waits for room. False: nobody wants more.
    func waitForRoom() -> Bool {
        room.wait()
        return state.withLockedValue { !$0.isCancelled }
    }

    func put(_ chunk: Result<ReplayChunk, any Error>) {
        state.withLockedValue { $0.chunks.append(chunk) }
        ready.signal()
    }

    /// Waits for the next chunk.
    func take() throws -> ReplayChunk {
        ready.wait()
        let chunk = state.withLockedValue { $0.chunks.removeFirst() }
        room.signal()
        return try chunk.get()
    }

    func cancel() {
        state.withLockedValue { $0.isCancelled = true }
        room.signal()
    }
}
