/// Events on their way to the log: durably queued already, and known by their ids.
public struct Submission: Sendable {
    /// In the order in which they were given.
    public let events: [QueuedEvent]
    let result: AsyncThrowingStream<[AppendOutcome], any Error>

    /// What became of each event, in order; waits for the log. For one caller, once.
    /// - Throws: `SyncClientError`; the events stay queued.
    public func outcomes() async throws -> [AppendOutcome] {
        for try await outcomes in result { return outcomes }
        throw SyncClientError.closed
    }
}
