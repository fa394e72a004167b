/// Events on their way to the log. They are queued durably, and have their ids.
public struct Submission: Sendable {
    /// The events, in the order of their drafts.
    public let events: [QueuedEvent]
    let result: AsyncThrowingStream<[AppendOutcome], any Error>

    /// Waits until the log has answered all events. For one caller, once.
    /// - Returns: what became of each event, in the order of `events`.
    /// - Throws: `SyncClientError`; `CancellationError` when the caller's task is cancelled. The events stay queued.
    public func outcomes() async throws -> [AppendOutcome] {
        for try await outcomes in result { return outcomes }
        try Task.checkCancellation()
        throw SyncClientError.closed
    }
}
