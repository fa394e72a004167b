import EventStore
import FocusCore
import Logging

/// What all lanes of a server share.
struct LaneContext: Sendable {
    var log: LogIdentity
    var format: LogFormat
    var store: StoreConfiguration
    var configuration: LaneConfiguration
    /// The clock of `databaseTime`.
    var clock: ServerClock
    var databaseTime: DatabaseTime
    var budget: InboundBudget
    var hints: HeadHints
    var faults: Faults
    var freshness: Freshness
    /// Nil where nobody asks whether lanes hang.
    var liveness: Liveness?
    var contention = ContentionMeter()
    var loads = LoadMeter()
    /// Nil, in the simulation: the database that lanes ask is always the one that writes the log.
    var primary: PrimaryHeartbeat?
    var logger: Logger
    /// See `SyncServerConfiguration.receiptKey`.
    var receiptKey: ReceiptKey?
}

extension LaneContext {
    /// Whether heads that were confirmed at that time are fresh enough for rows to be sent (rules A3, V2), and
    /// PostgreSQL has shown as lately that it still is the server that writes the log.
    func isFresh(since confirmedAt: MonotonicTime) -> Bool {
        clock.monotonic() - confirmedAt < configuration.freshnessMilliseconds
            && primary?.vouches(within: configuration.freshnessMilliseconds) ?? true
    }
}
