import Dispatch
import NIOConcurrencyHelpers

/// Holds a few chunks between the thread that reads them and the one that consumes them: the reader waits while it is
/// full.
final class ReadAheadQueue<Chunk: Sendable>: Sendable {
    /// Chunks that are ready or being read; one more is being consumed.
    private static var depth: Int { 2 }

    private struct State {
        var chunks: [Result<Chunk, any Error>] = []
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())
    // It begins at 0 and is raised: a semaphore must not be freed below the value that it was made with.
    private let room = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)

    init() {
        for _ in 0..<Self.depth { room.signal() }
    }

    /// Waits for room. False means that the queue was cancelled.
    func waitForRoom() -> Bool {
        room.wait()
        return state.withLockedValue { !$0.isCancelled }
    }

    func enqueue(_ chunk: Result<Chunk, any Error>) {
        state.withLockedValue { $0.chunks.append(chunk) }
        ready.signal()
    }

    /// Waits for the next chunk.
    func dequeue() throws -> Chunk {
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
