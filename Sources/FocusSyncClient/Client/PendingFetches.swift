import FocusCore

/// Fetches whose answers callers wait for (rules R1, R6). They change nothing, so a fetch that one connection did not
/// answer is sent again on the next. As many are under way as the server accepts; each call has one.
struct PendingFetches {
    private struct Pending {
        let question: FetchQuestion
        let done: CheckedContinuation<FetchAnswer, any Error>
    }

    private var pending: [UInt64: Pending] = [:]
    /// Fetches that were not sent on this connection yet, in the order in which they will be.
    private var waiting: [UInt64] = []
    private var sent: Set<UInt64> = []
    private var limit = 0
    private var last: UInt64 = 0

    mutating func makeID() -> UInt64 {
        last += 1
        return last
    }

    mutating func add(_ id: UInt64, _ question: FetchQuestion, _ done: CheckedContinuation<FetchAnswer, any Error>) {
        pending[id] = Pending(question: question, done: done)
        waiting.append(id)
    }

    /// A connection began, on which at most `limit` fetches may be under way; 0: the server knows no fetches.
    mutating func connected(limit: Int) {
        self.limit = limit
        sent = []
        waiting = pending.keys.sorted()
        guard limit == 0 else { return }
        failAll(SyncClientError.fetchFailed(ProtocolError(.unknownMessage, "This server knows no fetches.")))
    }

    /// Dequeues the requests that the connection has room for; they count as sent.
    mutating func next() -> [FetchRequest] {
        var requests: [FetchRequest] = []
        while sent.count < limit, let id = waiting.first {
            waiting.removeFirst()
            guard let question = pending[id]?.question else { continue }
            sent.insert(id)
            requests.append(FetchRequest(id: id, question))
        }
        return requests
    }

    mutating func resolve(_ fetched: Fetched) {
        sent.remove(fetched.request)
        pending.removeValue(forKey: fetched.request)?.done.resume(returning: fetched.answer)
    }

    /// The server answered with an error. Returns whether the fetch may be sent again; if not, its caller gets the
    /// error.
    mutating func refuse(_ id: UInt64, _ error: ProtocolError) -> Bool {
        sent.remove(id)
        guard pending[id] != nil else { return false }
        if error.code.isRetryable { return true }
        fail(id, SyncClientError.fetchFailed(error))
        return false
    }

    mutating func retry(_ id: UInt64) {
        if pending[id] != nil, !sent.contains(id), !waiting.contains(id) { waiting.append(id) }
    }

    /// Fails the call. A fetch that was sent counts as under way until the server has answered it.
    mutating func fail(_ id: UInt64, _ error: any Error) {
        waiting.removeAll { $0 == id }
        pending.removeValue(forKey: id)?.done.resume(throwing: error)
    }

    mutating func failAll(_ error: any Error) {
        for id in pending.keys.sorted() { fail(id, error) }
    }
}
