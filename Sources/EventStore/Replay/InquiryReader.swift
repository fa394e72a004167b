import FocusCore
import PostgresClient

/// Answers "why?" from the log: a user's events, from the first one on, through an `Inquiry`.
public struct InquiryReader: Sendable {
    public init() {}

    /// Throws `PostgresError`; `EventStoreError` or `PayloadError` when an event cannot be read; `FoldError` when the
    /// events do not fold.
    public func explain(
        _ subject: ExplanationSubject, of user: UserID, in partition: Partition, on connection: PostgresConnection
    ) throws -> Explanation {
        var inquiry = Inquiry(subject, of: user)
        try LogReader().forEachDecoded(of: user, partition: partition, on: connection) { (event: Event) in
            try inquiry.apply(event)
            return true
        }
        return inquiry.explanation
    }
}
