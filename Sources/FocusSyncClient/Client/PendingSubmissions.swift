import FocusCore

/// Calls that wait for the outcomes of events.
struct PendingSubmissions {
    private struct Pending {
        var order: [EventID]
        /// The number of different events in `order`.
        let count: Int
        var outcomes: [EventID: AppendOutcome] = [:]
        let done: AsyncThrowingStream<[AppendOutcome], any Error>.Continuation
    }

    private var pending: [Int: Pending] = [:]
    /// The submissions that wait for each event. There may be several: the one that queued it, and one that sends what
    /// earlier runs left in the queue.
    private var byEvent: [EventID: Set<Int>] = [:]
    private var last = 0

    var isEmpty: Bool { pending.isEmpty }

    mutating func add(_ events: [QueuedEvent]) -> (id: Int, Submission) {
        last += 1
        let (stream, done) = AsyncThrowingStream.makeStream(of: [AppendOutcome].self, throwing: (any Error).self)
        if events.isEmpty {
            done.yield([])
            done.finish()
        } else {
            let order = events.map(\.envelope.id)
            for event in order { byEvent[event, default: []].insert(last) }
            pending[last] = Pending(order: order, count: Set(order).count, done: done)
        }
        return (last, Submission(events: events, result: stream))
    }

    mutating func resolve(_ outcomes: [AppendOutcome]) {
        for outcome in outcomes {
            guard let ids = byEvent.removeValue(forKey: outcome.event) else { continue }
            for id in ids.sorted() { resolve(id, outcome) }
        }
    }

    private mutating func resolve(_ id: Int, _ outcome: AppendOutcome) {
        pending[id]?.outcomes[outcome.event] = outcome
        guard let known = pending[id]?.outcomes.count, known == pending[id]?.count,
            let entry = pending.removeValue(forKey: id)
        else { return }
        entry.done.yield(entry.order.compactMap { entry.outcomes[$0] })
        entry.done.finish()
    }

    mutating func fail(_ id: Int, _ error: SyncClientError) {
        guard let entry = pending.removeValue(forKey: id) else { return }
        for event in entry.order {
            byEvent[event]?.remove(id)
            if byEvent[event]?.isEmpty == true { byEvent[event] = nil }
        }
        entry.done.finish(throwing: error)
    }

    mutating func failAll(_ error: SyncClientError) {
        for id in pending.keys.sorted() { fail(id, error) }
    }
}
