import Dispatch
import FocusCore
import NIOConcurrencyHelpers

/// Hands chunks of the log from the threads that read them to the one that consumes them. A chunk is read when it is
/// asked for, so the consumer decides how many are in memory: at most one for each lane, beside those that it consumes.
final class ReplayQueue<Content: ReplayContent>: Sendable {
    /// A stretch of the log that is to be read from its beginning on.
    struct Request: Sendable {
        /// Where the chunk is waited for.
        var lane: Int
        var range: PartitionRange
        /// How far the user's stream was read who alone is read; see `ReplayChunk.place`.
        var place: Version?
    }

    private struct State {
        var requests: [Request] = []
        var chunks: [[Result<ReplayChunk<Content>, any Error>]]
        var isCancelled = false
    }

    private let state: NIOLockedValueBox<State>
    private let requests = DispatchSemaphore(value: 0)
    private let ready: [DispatchSemaphore]
    /// How many threads read.
    let readers: Int

    init(lanes: Int, readers: Int) {
        state = NIOLockedValueBox(State(chunks: Array(repeating: [], count: lanes)))
        ready = (0..<lanes).map { _ in DispatchSemaphore(value: 0) }
        self.readers = min(readers, lanes)
    }

    /// Asks for the chunk at the beginning of a range.
    /// - Parameter isFirst: whether it is read before everything else that was asked for.
    func ask(_ request: Request, isFirst: Bool = false) {
        state.withLockedValue { $0.requests.insert(request, at: isFirst ? 0 : $0.requests.count) }
        requests.signal()
    }

    /// Waits for a request; nil when the queue was cancelled.
    func nextRequest() -> Request? {
        requests.wait()
        return state.withLockedValue { $0.isCancelled || $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
    }

    func enqueue(_ chunk: ReplayChunk<Content>, _ lane: Int) {
        state.withLockedValue { $0.chunks[lane].append(.success(chunk)) }
        ready[lane].signal()
    }

    /// Ends every lane with an error, because it is not known which lane is waited for next.
    func fail(_ error: any Error) {
        for lane in ready.indices {
            state.withLockedValue { $0.chunks[lane].append(.failure(error)) }
            ready[lane].signal()
        }
    }

    /// Waits for the lane's next chunk, which must have been asked for.
    func dequeue(_ lane: Int) throws -> ReplayChunk<Content> {
        ready[lane].wait()
        return try state.withLockedValue { $0.chunks[lane].removeFirst() }.get()
    }

    /// Makes every reader stop before its next chunk.
    func cancel() {
        state.withLockedValue { $0.isCancelled = true }
        for _ in 0..<readers { requests.signal() }
    }
}
