import Synchronization

/// What waits for the reader of a `CoalescingQueue`. Bounded by what it is about, not by how often that changes.
protocol Backlog: Sendable {
    associatedtype Batch: Sendable

    /// Everything that waits, which then waits no more; nil: nothing to give yet.
    mutating func take() -> Batch?
}

/// Changes on their way to one reader, who gets everything that waits at once: of what changes faster than it reads, the
/// newest. What an `AsyncSequence` of current values and changes stands on.
final class CoalescingQueue<Waiting: Backlog>: Sendable {
    private struct State {
        var waiting: Waiting
        var isFinished = false
        var taker: CheckedContinuation<Waiting.Batch?, Never>?
    }

    private let state: Mutex<State>

    init(_ waiting: Waiting) { state = Mutex(State(waiting: waiting)) }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// After `finish`, `change` is not called.
    func change(_ change: (inout Waiting) -> Void) {
        state.withLock { state in
            guard !state.isFinished else { return }
            change(&state.waiting)
            guard let taker = state.taker, let batch = state.waiting.take() else { return }
            state.taker = nil
            taker.resume(returning: batch)
        }
    }

    /// What waits can still be taken.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.taker.take()?.resume(returning: nil)
        }
    }

    /// One caller at a time. Nil at the end; when the task is cancelled, that is now.
    func next() async -> Waiting.Batch? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in
                state.withLock { state in
                    if let batch = state.waiting.take() {
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
