import FocusCore
import PostgresClient

/// A user's events folded from the first one on, read in chunks from the log alone.
struct Refold {
    /// Events read at once: no statement holds a snapshot for long.
    private let chunk: Int
    private let isStopping: @Sendable () -> Bool

    private(set) var state: UserState
    /// The first event that was not folded, if the log has one.
    private(set) var following: LoggedEvent?
    /// The version of the last event that could be folded; zero when there is none.
    private(set) var version = Version.zero

    /// - Parameter isStopping: asked before each event is folded; true: `run` throws `StoreStopped`.
    init(
        _ user: UserID, chunk: Int, rules: FoldRules = .current, isStopping: @escaping @Sendable () -> Bool = { false }
    ) {
        state = UserState(user: user, rules: rules)
        self.chunk = chunk
        self.isStopping = isStopping
    }

    /// Folds up to `last`, or as far as the log goes.
    ///
    /// Throws `PostgresError`, `StoreStopped`; `EventStoreError`, `PayloadError` or `FoldError` (a gap too) when the
    /// event after `version` cannot be folded: the state is then unusable.
    /// - Parameter each: sees the state after each event.
    mutating func run(
        in partition: Partition, through last: Version, on connection: PostgresConnection,
        each: (borrowing UserState) -> Void = { _ in }
    ) throws {
        try LogReader().forEachEvent(
            of: state.user, partition: partition, after: version, atOnce: chunk, on: connection
        ) { event in
            if isStopping() { throw StoreStopped() }
            guard event.version <= last else {
                following = event
                return false
            }
            try state.applyQuietly(event.decoded())
            version = event.version
            each(state)
            return true
        }
    }
}
