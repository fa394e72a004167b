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
        var taker: Taker?
    }

    private typealias Taker = CheckedContinuation<Waiting.Batch?, Never>

    /// Nobody is resumed under this lock. Whoever cancels the reader's task holds a lock of the task while it calls
    /// `finish`, and whoever resumes the reader needs that one: they would wait for each other for ever
    /// (withTaskCancellationHandler, "Cancellation handlers and locks").
    private let state: Mutex<State>

    init(_ waiting: Waiting) { state = Mutex(State(waiting: waiting)) }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Changes what waits, and resumes the reader if there is something for it. Does nothing after `finish`.
    func change(_ change: (inout Waiting) -> Void) {
        let reader: (taker: Taker, batch: Waiting.Batch)? = state.withLock { state in
            guard !state.isFinished else { return nil }
            change(&state.waiting)
            guard let taker = state.taker, let batch = state.waiting.dequeue() else { return nil }
            state.taker = nil
            return (taker, batch)
        }
        if let reader { reader.taker.resume(returning: reader.batch) }
    }

    /// Ends the queue. What waits can still be read.
    func finish() {
        let taker = state.withLock { state in
            state.isFinished = true
            return state.taker.take()
        }
        taker?.resume(returning: nil)
    }

    /// What waits next; for one caller at a time. Nil at the end, which comes at once when the task is cancelled.
    func next() async -> Waiting.Batch? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in
                let answer: Waiting.Batch?? = state.withLock { state in
                    if let batch = state.waiting.dequeue() { return .some(batch) }
                    if state.isFinished || state.taker != nil { return .some(nil) }
                    state.taker = taker
                    return nil
                }
                if let answer { taker.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }
}
