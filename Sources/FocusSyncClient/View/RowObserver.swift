import FocusCore

/// The newest value of each row that the reader has not read yet: at most as much as the rows themselves.
struct WaitingRows: Backlog {
    private var newest: [RowKey: LocalRow] = [:]
    /// Rows that the reader has been given and that were not removed then.
    private var known: Set<RowKey> = []
    private var isFirst = true

    mutating func add(_ rows: [LocalRow]) {
        for row in rows {
            // A row that came and went since the last batch is not told.
            let isNews = row.value != nil || known.contains(row.key)
            newest[row.key] = isNews ? row : nil
        }
    }

    mutating func dequeue() -> RowChanges.Element? {
        guard isFirst || !newest.isEmpty else { return nil }
        let batch = RowChanges.Element(rows: newest.values.sorted { $0.key < $1.key }, isInitial: isFirst)
        for row in batch.rows {
            if row.value == nil { known.remove(row.key) } else { known.insert(row.key) }
        }
        newest = [:]
        isFirst = false
        return batch
    }
}

/// Changes of rows on their way to one observer.
final class RowObserver: Sendable {
    let collection: RowCollection?
    private let queue: CoalescingQueue<WaitingRows>

    init(_ collection: RowCollection?, current rows: [LocalRow]) {
        self.collection = collection
        var waiting = WaitingRows()
        waiting.add(rows)
        queue = CoalescingQueue(waiting)
    }

    func publish(_ rows: [LocalRow]) {
        let rows = rows.filter { collection == nil || $0.key.collection == collection }
        guard !rows.isEmpty else { return }
        queue.change { $0.add(rows) }
    }

    func finish() { queue.finish() }

    /// One caller at a time.
    func next() async -> RowChanges.Element? { await queue.next() }
}

/// The observers of a client, held weakly.
struct RowObservers {
    private struct Weak {
        weak var observer: RowObserver?
    }

    private var observers: [Weak] = []

    mutating func add(_ observer: RowObserver) { observers.append(Weak(observer: observer)) }

    /// Drops observers that are gone. Returns whether any is left.
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
