import EventStore
import FocusCore
import FocusWire
import Logging

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

/// Reads the points of finished routes, beside the lane, so that a question about a long route delays neither appends
/// nor deltas.
final class Fetcher: Sendable {
    private let thread: StoreThread<FetchWork>

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the fetcher's thread with each question and its answer.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (PendingFetch) -> Void
    ) {
        thread = StoreThread("fetcher", configuration, logger: logger, isStopping: isStopping) { work, store in
            var fetch = work.fetch
            fetch.found = Self.find(work, store, logger)
            report(fetch)
        }
    }

    func start() { thread.start() }
    func post(_ work: FetchWork) { thread.post(work) }

    /// Ends the thread. Questions that wait get no answer: their sessions are ended by the shut-down.
    func stop() { thread.stop() }

    private static func find(_ work: FetchWork, _ store: StoreConnection, _ logger: Logger) -> PendingFetch.Found {
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
