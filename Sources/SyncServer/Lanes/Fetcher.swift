import EventStore
import FocusCore
import FocusWire
import Logging
import NIOConcurrencyHelpers

/// A question about a finished route, and where the route's points are.
struct FetchWork: Sendable {
    var fetch: PendingFetch
    /// The user's version when the lane decided that the session may read the route.
    var version: Version
    /// Whether the points are in the user's state or in the read model.
    var chunks: SealedChunks
    /// The points in the read model.
    var rows: RouteChunkRows
}

/// Reads the points of finished routes, on a thread and a connection of its own, so that a question about a long route
/// delays neither appends nor deltas. Connects when it is first needed.
final class Fetcher: Sendable {
    /// Nil ends the thread. A session has few fetches under way (`SessionLimits.fetches`), which bounds what waits
    /// here.
    private let mailbox = Mailbox<FetchWork?>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let configuration: StoreConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private let report: @Sendable (PendingFetch) -> Void

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the fetcher's thread with each question and its answer.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (PendingFetch) -> Void
    ) {
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
        self.report = report
    }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: "fetcher") { [self] in run() } }
    }

    func post(_ work: FetchWork) { mailbox.post(work) }

    /// Ends the thread. Questions that wait get no answer: their sessions are ended by the shut-down.
    func stop() {
        mailbox.post(nil)
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        let logger = logger
        let store = StoreConnection(
            configuration, isStopping: isStopping,
            onTrouble: { logger.warning("fetcher lacks the database", metadata: ["error": "\($0)"]) })
        defer { store.close() }
        while true {
            for work in mailbox.take() {
                guard let work, !isStopping() else { return }
                var fetch = work.fetch
                fetch.found = find(work, store)
                report(fetch)
            }
        }
    }

    private func find(_ work: FetchWork, _ store: StoreConnection) -> PendingFetch.Found {
        let request = work.fetch.request
        do {
            let answer: FetchAnswer
            switch work.chunks {
            case .inState(let chunks):
                answer = try SealedRouteReader(heads: chunks).answer(request.question) { _ in chunks }
            case .inTable: answer = try store.answer(request.question, from: work.rows)
            }
            let fetched = Fetched(request: request.id, version: work.version, answer)
            return .frame(FrameCodec.frame(.fetched(fetched)))
        } catch {
            // For one, another generation of the read model may be shown since, and this one was dropped.
            logger.error("fetch failed", metadata: ["route": "\(work.rows)", "error": "\(error)"])
            return .failed(
                ProtocolError(
                    .unavailable, "The route's points cannot be read at the moment. Try again.",
                    retryAfterMilliseconds: 1_000, request: request.id))
        }
    }
}
