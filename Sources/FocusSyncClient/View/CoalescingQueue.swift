import Synchronization

/// What waits for the reader of a `CoalescingQueue`. Its size is bounded by the number of things that change, not by
/// how often they change.
protocol Backlog: Sendable {
    associatedtype Batch: Sendable

    /// Dequeues everything that waits; nil: there is nothing yet.
    mutating func dequeue() -> Batch?
}

/// Brings changes to one reader. The reader gets everything that waits in one batch; of a thing that has changed
/// several times since the last batch, it gets the newest value. `RowChanges` and the like are made with it.
final class CoalescingQueue<Waiting: Backlog>: Sendable {
    private struct State {
        var waiting: Waiting
        var isFinished = false
        var taker: CheckedContinuation<Waiting.Batch?, Never>?
    }

    private let state: Mutex<State>

    init(_ waiting: Waiting) { state = Mutex(State(waiting: waiting)) }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Changes what waits, and resumes the reader if there is something for it. Does nothing after `finish`.
    func change(_ change: (inout Waiting) -> Void) {
        state.withLock { state in
            guard !state.isFinished else { return }
            change(&state.waiting)
            guard let taker = state.taker, let batch = state.waiting.dequeue() else { return }
            state.taker = nil
            taker.resume(returning: batch)
        }
    }

    /// Ends the queue. What waits can still be read.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.taker.take()?.resume(returning: nil)
        }
    }

    /// What waits next; for one caller at a time. Nil at the end, which comes at once when the task is cancelled.
    func next() async -> Waiting.Batch? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in
                state.withLock { state in
                    if let batch = state.waiting.dequeue() {
                        taker.resume(returning: batch)
                    } else if state.isFinished || state.taker != nil {
                        taker.resume(returning: nil)
                    } else {
                        state.taker = taker
                    }
                }
            }
        } onCancel: {
            finish()
        }
    }
}
