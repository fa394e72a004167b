import FocusCore

extension SyncClient {
    /// The shortest wait before a fetch that the server could not answer is sent again, in milliseconds.
    private static let minimumRetryMilliseconds: Int64 = 200

    /// Asks the server for something that the device's rows do not hold, or that is another app's (rules R1, R6).
    ///
    /// - Throws: `SyncClientError.fetchFailed` with `not_found` when it does not exist or this session may not read it;
    ///   `timedOut`; `closed`; `CancellationError`.
    public func fetch(_ question: FetchQuestion) async throws -> FetchAnswer {
        guard !isClosed else { throw SyncClientError.closed }
        start()
        let id = fetches.makeID()
        let timeout = configuration.timeout
        let timeoutTask = Task { [weak self] in
            try await Task.sleep(for: timeout)
            await self?.expire(fetch: id)
        }
        defer { timeoutTask.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { done in
                guard !Task.isCancelled else { return done.resume(throwing: CancellationError()) }
                fetches.add(id, question, done)
                sendFetches()
            }
        } onCancel: {
            Task { await self.cancel(fetch: id) }
        }
    }

    private func sendFetches() {
        let requests = fetches.next()
        if !requests.isEmpty { perform { $0.fetch(requests) } }
    }

    private func expire(fetch id: UInt64) {
        fetches.fail(id, SyncClientError.timedOut(after: configuration.timeout, lastProblem: lastProblem))
    }

    private func cancel(fetch id: UInt64) { fetches.fail(id, CancellationError()) }

    // MARK: Hooks

    func resumeFetches(_ welcome: Welcome) -> [ClientAction] {
        fetches.connected(limit: Int(welcome.maximumFetches))
        return moreFetches
    }

    func resolveFetch(_ fetched: Fetched) -> [ClientAction] {
        fetches.resolve(fetched)
        return moreFetches
    }

    func failFetch(_ id: UInt64, _ error: ProtocolError) -> [ClientAction] {
        if fetches.refuse(id, error) {
            lastProblem = "\(error.code.rawValue): \(error.message)"
            let wait = max(Int64(error.retryAfterMilliseconds), Self.minimumRetryMilliseconds)
            Task { [weak self] in
                try await Task.sleep(for: .milliseconds(wait))
                await self?.retry(fetch: id)
            }
        }
        return moreFetches
    }

    private func retry(fetch id: UInt64) {
        fetches.retry(id)
        sendFetches()
    }

    private var moreFetches: [ClientAction] { fetches.next().map { .send(.fetch($0)) } }
}

extension ClientSession {
    /// The actions that send these fetches. Before Welcome there are none: fetches are sent again after it.
    func fetch(_ requests: [FetchRequest]) -> [ClientAction] {
        state == .live ? requests.map { .send(.fetch($0)) } : []
    }
}
