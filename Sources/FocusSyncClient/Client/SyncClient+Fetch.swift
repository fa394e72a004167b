import FocusCore

extension SyncClient {
    /// How long before a question is asked again that the server could not answer.
    private static let minimumRetryMilliseconds: Int64 = 200

    /// Asks the server for something that rows do not hold, or that is another app's (rules R1, R6).
    ///
    /// - Throws: `SyncClientError`: `fetchFailed` with `not_found` for what there is not and for what this session may
    ///   not read; `timedOut`.
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

    func noteWelcome(_ welcome: Welcome) -> [ClientAction] {
        fetches.connected(limit: Int(welcome.maximumFetches))
        return moreFetches
    }

    func noteFetched(_ fetched: Fetched) -> [ClientAction] {
        fetches.resolve(fetched)
        return moreFetches
    }

    func noteFetchFailed(_ id: UInt64, _ error: ProtocolError) -> [ClientAction] {
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
    /// Questions that go out now; those asked before Welcome are asked again after it.
    func fetch(_ requests: [FetchRequest]) -> [ClientAction] {
        state == .live ? requests.map { .send(.fetch($0)) } : []
    }
}
