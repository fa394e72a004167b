import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers
import Synchronization

/// Owns some of the partitions on a thread of its own: their users' states, their sessions' subscriptions, and the
/// database connection that appends to them.
///
/// Flow: requests gather in the mailbox while the last statement commits → validate and fold all of them → one
/// compare-and-swap statement → acknowledgements and deltas → next. One thread, so no state is ever shared, and
/// nobody sees what is not committed.
final class Lane: Sendable {
    let mailbox = Mailbox<LaneRequest>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let isStopping = Atomic<Bool>(false)
    private let name: String

    init(name: String) { self.name = name }

    func post(_ request: LaneRequest) { mailbox.post(request) }

    /// Starts the thread. `partitions` are this lane's for good.
    func start(_ context: LaneContext, index: Int, partitions: [Partition]) {
        let started = LaneThread(name: name) { [self] in
            let isStopping = { @Sendable in self.isStopping.load(ordering: .acquiring) }
            let (logger, mailbox) = (context.logger, mailbox)
            let store = StoreConnection(
                context.store, isStopping: isStopping,
                onTrouble: { logger.warning("lane lacks the database", metadata: ["error": "\($0)"]) })
            do {
                try store.prepareToLoad(partitions)
            } catch {
                // Whoever is loaded first waits a little longer, or meets what is wrong.
                logger.debug("load not prepared", metadata: ["error": "\(error)"])
            }
            let projector = Projector(
                configuration: context.store, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.projected($0, $1)) })
            let fetcher = Fetcher(
                configuration: context.store, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.fetched($0)) })
            let placeFinder = PlaceFinder(
                configuration: context.store, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.placesFound(session: $0, $1)) })
            LaneWorker(
                context: context, index: index, partitions: partitions, mailbox: mailbox, store: store,
                helpers: LaneHelpers(projector: projector, fetcher: fetcher, placeFinder: placeFinder)
            ).run()
        }
        thread.withLockedValue { $0 = started }
    }

    /// Finishes what was posted before, then ends the thread. Blocks until it has.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        post(.stop)
        thread.withLockedValue { $0 }?.join()
    }
}

/// What every lane works with.
struct LaneContext: Sendable {
    var log: LogIdentity
    var format: LogFormat
    var store: StoreConfiguration
    var configuration: LaneConfiguration
    /// That of `databaseTime`.
    var clock: ServerClock
    var databaseTime: DatabaseTime
    var budget: InboundBudget
    var hints: HeadHints
    var faults: Faults
    var freshness: Freshness
    /// Nil: it is never in doubt.
    var primary: PrimaryHeartbeat?
    var logger: Logger
    var receiptKey: ReceiptKey?
}

extension LaneContext {
    /// Whether heads that were confirmed at that time are fresh enough for rows to be sent (rule V2), by a PostgreSQL
    /// server that is still the log's.
    func isFresh(since confirmedAt: MonotonicTime) -> Bool {
        clock.monotonic() - confirmedAt < configuration.freshnessMilliseconds
            && primary?.vouches(within: configuration.freshnessMilliseconds) ?? true
    }
}
