import FocusCore

/// What the device shows, and what becomes of its events.
extension SyncClient {
    /// The most outcomes that wait for one observer. One more drops the oldest; the observer still finds it in the
    /// store (`DeviceStore.sent`).
    public static let outcomeLimit = 1_024

    /// The rows of a collection as the device shows them, ordered by key: as confirmed, with the effects of this
    /// device's own events where those can be foreseen (`EventTraits.predicted`).
    /// - Parameter collection: nil: the rows of all collections.
    public func rows(of collection: RowCollection?) throws -> [LocalRow] { try view.rows(of: collection) }

    /// A row as the device shows it; nil: there is none.
    public func row(_ key: RowKey) throws -> LocalRow? { try view.row(key) }

    /// The rows of a collection as they are, then as they change. Does not connect.
    /// - Parameter collection: nil: the rows of all collections.
    public func changes(of collection: RowCollection? = nil) throws -> RowChanges {
        let observer = RowObserver(collection, current: try view.rows(of: collection))
        if isClosed { observer.finish() } else { observers.add(observer) }
        return RowChanges(observer: observer)
    }

    /// What becomes of this device's events from now on, in the order in which the server answers. Ends when the client
    /// is closed.
    public func outcomes() -> AsyncStream<AppendOutcome> { outcomes { _ in true } }

    /// The events of this device that the server refuses from now on (rule E2). Their effects on the rows shown here
    /// were undone before. `DeviceStore.refusals` has earlier ones. Ends when the client is closed.
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

    /// Shows the effects of new events. Does not throw: the events are durable, and a caller who got an error would
    /// append them again.
    func publishQueued(_ events: [QueuedEvent]) {
        guard observers.prune() else { return view.forget() }
        do {
            observers.publish(try view.append(events))
        } catch {
            // The next reader of the view meets the same error, and gets it.
            view.forget()
        }
    }

    func publishConfirmed(_ changes: [RowChange]) throws {
        guard observers.prune() else { return view.forget() }
        observers.publish(try view.rebase(changes))
    }

    func publishOutcomes(_ outcomes: [AppendOutcome]) throws {
        if try view.isOutdated(by: outcomes) { try publishConfirmed([]) }
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
