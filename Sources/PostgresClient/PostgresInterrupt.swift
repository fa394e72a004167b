import Synchronization

/// Ends the waits of connections, from any thread and for good: a server that stops does not wait for a database that
/// says nothing.
///
/// A wait that is ended fails as `.connectionLost`. What became of the statement is then unknown.
public final class PostgresInterrupt: Sendable {
    /// How long a wait may go on after `raise`, and how often `PostgresConnection.whileWaiting` is called.
    static let slice = Duration.milliseconds(100)

    private let raised = Atomic<Bool>(false)

    public init() {}

    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    public func raise() { raised.store(true, ordering: .releasing) }
}
