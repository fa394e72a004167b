import Dispatch
import NIOConcurrencyHelpers

/// Hands chunks of several partitions from the thread that reads them to the one that merges them. A partition's next
/// chunk is read when it is asked for, which is when its last one begins to be consumed. So two of each are in memory
/// at most.
final class MergeQueue: Sendable {
    private struct State {
        var asked: [Int] = []
        var chunks: [[Result<ReplayChunk, any Error>]]
        var isCancelled = false
    }

    private let state: NIOLockedValueBox<State>
    private let requests = DispatchSemaphore(value: 0)
    private let ready: [DispatchSemaphore]

    init(lanes: Int) {
        state = NIOLockedValueBox(State(chunks: Array(repeating: [], count: lanes)))
        ready = (0..<lanes).map { _ in DispatchSemaphore(value: 0) }
    }

    func ask(_ lane: Int) {
        state.withLockedValue { $0.asked.append(lane) }
        requests.signal()
    }

    /// Waits for a request and returns its lane; nil when the queue was cancelled.
    func nextRequest() -> Int? {
        requests.wait()
        return state.withLockedValue { $0.isCancelled || $0.asked.isEmpty ? nil : $0.asked.removeFirst() }
    }

    func enqueue(_ chunk: ReplayChunk, _ lane: Int) {
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
    func dequeue(_ lane: Int) throws -> ReplayChunk {
        ready[lane].wait()
        return try state.withLockedValue { $0.chunks[lane].removeFirst() }.get()
    }

    func cancel() {
        state.withLockedValue { $0.isCancelled = true }
        requests.signal()
    }
}
