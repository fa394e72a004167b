import NIOConcurrencyHelpers

/// How many users came from the database since the server started.
public struct LoadCounts: Hashable, Sendable {
    /// Users who were loaded: their rows, and the events that these lack.
    public var loaded = 0
    /// Users who were looked up, because a session with a current cursor needed no more of them.
    public var lookedUp = 0
}

/// Counts for all lanes of a server, which add to it on their threads.
final class LoadMeter: Sendable {
    private let counted = NIOLockedValueBox(LoadCounts())

    var counts: LoadCounts { counted.withLockedValue { $0 } }

    func count(loaded: Int = 0, lookedUp: Int = 0) {
        counted.withLockedValue {
            $0.loaded += loaded
            $0.lookedUp += lookedUp
        }
    }
}
