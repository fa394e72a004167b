import FocusCore

/// What the device shows, and what becomes of its events.
extension SyncClient {
    /// Outcomes that wait for one observer; older ones are dropped for newer. All are in `store.sent` meanwhile.
    public static let outcomeLimit = 1_024

    /// The rows of a collection as the device shows them, ordered by key: as confirmed, and as this device's own events
    /// will make them where that can be foreseen (`EventType.predicted`). Nil: of all.
    public func rows(of collection: RowCollection?) throws -> [LocalRow] { try view.rows(of: collection) }

    /// One of them; nil: there is none.
    public func row(_ key: RowKey) throws -> LocalRow? { try view.row(key) }

    /// The rows of a collection as they are, then as they change. Nil: of all. Connects to nothing by itself.
    public func changes(of collection: RowCollection? = nil) throws -> RowChanges {
        let observer = RowObserver(collection, current: try view.rows(of: collection))
        if isClosed { observer.finish() } else { observers.add(observer) }
        return RowChanges(observer: observer)
    }

    /// What becomes of this device's events from now on, as the server answers. Ends when the client is closed.
    public func outcomes() -> AsyncStream<AppendOutcome> { outcomes { _ in true } }

    /// Those of them that the server refused (rule E2). What they did to the rows here has been taken back when they
    /// come. Earlier ones: `store.refusals()`.
    public func refusals() -> AsyncStream<AppendOutcome> { outcomes { !$0.isAccepted } }

    private func outcomes(_ isWanted: @escaping @Sendable (AppendOutcome) -> Bool) -> AsyncStream<AppendOutcome> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AppendOutcome.self, bufferingPolicy: .bufferingNewest(Self.outcomeLimit))
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        lastOutcomeObserver += 1
        let id = lastOutcomeObserver
        outcomeObservers[id] = OutcomeObserver(isWanted: isWanted, continuation: continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.forgetOutcomeObserver(id) } }
        return stream
    }

    private func forgetOutcomeObserver(_ id: Int) { outcomeObservers[id] = nil }

    // MARK: Hooks

    /// Does not throw: the events are durable, and who is told that they are not would append them again.
    func noteQueued(_ events: [QueuedEvent]) {
        guard observers.prune() else { return view.forget() }
        do {
            observers.publish(try view.append(events))
        } catch {
            // Whoever reads the view next meets the same problem, and can be told.
            view.forget()
        }
    }

    func noteConfirmed(_ changes: [RowChange]) throws {
        guard observers.prune() else { return view.forget() }
        observers.publish(try view.rebase(changes))
    }

    func noteOutcomes(_ outcomes: [AppendOutcome]) throws {
        if try view.isOutdated(by: outcomes) { try noteConfirmed([]) }
        for observer in outcomeObservers.values {
            for outcome in outcomes where observer.isWanted(outcome) { observer.continuation.yield(outcome) }
        }
    }

    func finishObservers() {
        observers.finish()
        for observer in outcomeObservers.values { observer.continuation.finish() }
        outcomeObservers = [:]
    }
}

struct OutcomeObserver {
    let isWanted: @Sendable (AppendOutcome) -> Bool
    let continuation: AsyncStream<AppendOutcome>.Continuation
}
