import FocusCore
import Synchronization

/// Changes on their way to one observer: the newest value of each row that it has not taken yet, so that a slow one
/// holds at most as much as the rows themselves.
final class RowObserver: Sendable {
    private struct State {
        var waiting: [RowKey: LocalRow] = [:]
        /// Rows that it was given and that were not gone then.
        var known: Set<RowKey> = []
        var isFirst = true
        var isFinished = false
        var taker: CheckedContinuation<RowChanges.Element?, Never>?

        mutating func note(_ rows: [LocalRow]) {
            for row in rows {
                // A row that came and went meanwhile is nothing to tell.
                let isNews = row.value != nil || known.contains(row.key)
                waiting[row.key] = isNews ? row : nil
            }
        }

        /// Nil: nothing to give yet.
        mutating func take() -> RowChanges.Element? {
            guard isFirst || !waiting.isEmpty else { return nil }
            let batch = RowChanges.Element(rows: waiting.values.sorted { $0.key < $1.key }, isInitial: isFirst)
            for row in batch.rows {
                if row.value == nil { known.remove(row.key) } else { known.insert(row.key) }
            }
            waiting = [:]
            isFirst = false
            return batch
        }
    }

    let collection: RowCollection?
    private let state: Mutex<State>

    init(_ collection: RowCollection?, current rows: [LocalRow]) {
        self.collection = collection
        var state = State()
        state.note(rows)
        self.state = Mutex(state)
    }

    func publish(_ rows: [LocalRow]) {
        let rows = rows.filter { collection == nil || $0.key.collection == collection }
        guard !rows.isEmpty else { return }
        state.withLock { state in
            guard !state.isFinished else { return }
            state.note(rows)
            guard let taker = state.taker, let batch = state.take() else { return }
            state.taker = nil
            taker.resume(returning: batch)
        }
    }

    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.taker.take()?.resume(returning: nil)
        }
    }

    /// One caller at a time.
    func next() async -> RowChanges.Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in
                state.withLock { state in
                    if let batch = state.take() {
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

/// The observers of a client. It keeps none alive.
struct RowObservers {
    private struct Weak {
        weak var observer: RowObserver?
    }

    private var observers: [Weak] = []

    mutating func add(_ observer: RowObserver) { observers.append(Weak(observer: observer)) }

    /// Whether anybody is left to tell.
    mutating func prune() -> Bool {
        observers.removeAll { $0.observer == nil }
        return !observers.isEmpty
    }

    func publish(_ rows: [LocalRow]) {
        for entry in observers { entry.observer?.publish(rows) }
    }

    mutating func finish() {
        for entry in observers { entry.observer?.finish() }
        observers = []
    }
}
