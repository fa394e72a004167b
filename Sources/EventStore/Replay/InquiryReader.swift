import FocusCore
import PostgresClient

/// Answers "why?" from the log: a user's events, from the first one on, through an `Inquiry`.
public struct InquiryReader: Sendable {
    /// Events read at once: no statement holds a snapshot for long.
    private static let chunk = 1_000

    public init() {}

    /// Throws `PostgresError`; `EventStoreError` or `PayloadError` when an event cannot be read; `FoldError` when the
    /// events do not fold.
    public func explain(
        _ subject: ExplanationSubject, of user: UserID, in partition: Partition, on connection: PostgresConnection
    ) throws -> Explanation {
        var inquiry = Inquiry(subject, of: user)
        var version = Version.zero
        while true {
            let events = try LogReader().events(
                of: user, partition: partition, after: version, limit: Self.chunk, on: connection)
            for event in events { try inquiry.apply(event.decoded()) }
            guard events.count == Self.chunk, let last = events.last else { return inquiry.explanation }
            version = last.version
        }
    }
}
