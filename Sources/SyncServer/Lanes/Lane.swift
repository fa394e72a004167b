import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers
import Synchronization

/// A thread that owns some of the partitions for good: their users' states, their sessions' subscriptions, and the
/// database connection that appends to them.
///
/// Flow: requests gather in the mailbox while a statement commits → the lane validates and folds them all → one
/// compare-and-swap statement → acknowledgements and deltas. All of this is on one thread, so no state is shared, and
/// nobody sees what is not committed.
final class Lane: Sendable {
    let mailbox = Mailbox<LaneRequest>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let isStopping = Atomic<Bool>(false)
    private let name: String

    init(name: String) { self.name = name }

    /// Hands the lane a request, from any thread. Does not wait.
    func post(_ request: LaneRequest) { mailbox.post(request) }

    /// Starts the thread.
    /// - Parameters:
    ///   - index: the lane's number among the server's lanes, for `Freshness`.
    ///   - partitions: those that the lane owns.
    func start(_ context: LaneContext, index: Int, partitions: [Partition]) {
        let started = LaneThread(name: name, priority: .prompt) { [self] in
            let isStopping = { @Sendable in self.isStopping.load(ordering: .acquiring) }
            let (logger, mailbox) = (context.logger, mailbox)
            let store = StoreConnection(
                context.store, isStopping: isStopping,
                onTrouble: { logger.warning("lane lacks the database", metadata: ["error": "\($0)"]) })
            let projector = Projector(
                configuration: context.store, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.projected($0, $1)) })
            let loader = Loader(
                partitions, configuration: context.store, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.loaded($0)) }, reportAudiences: { mailbox.post(.audiencesFound($0)) })
            let fetcher = Fetcher(
                configuration: context.store.forReading, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.fetched($0)) })
            let placeFinder = PlaceFinder(
                configuration: context.store.forReading, logger: logger, isStopping: isStopping,
                report: { mailbox.post(.placesFound(session: $0, $1)) })
            let folder = Folder(isStopping: isStopping) { mailbox.post(.loaded($0)) }
            // The worker answers devices also while the store waits for a database that is away from the start.
            let worker = LaneWorker(
                context: context, index: index, partitions: partitions, mailbox: mailbox, store: store,
                services: LaneServices(
                    projector: projector, loader: loader, fetcher: fetcher, placeFinder: placeFinder,
                    folder: folder))
            worker.run()
        }
        thread.withLockedValue { $0 = started }
    }

    /// Begins what `stop` waits for.
    func beginStopping() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        post(.stop)
    }

    /// Finishes what was posted before and ends the thread; blocks until then. While the database is away, it ends
    /// without finishing: nothing that waits was acknowledged.
    func stop() {
        beginStopping()
        thread.withLockedValue { $0 }?.join()
    }
}
