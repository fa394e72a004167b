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
    /// The last events that the lane knows of the partition: the points may come with them.
    var anchors: [Partition: LogAnchor]
    /// Who asks.
    var user: UserID
    /// How far the question is answered; nil before the first step.
    var search: SealedRouteSearch?
}

/// Reads the points of finished routes, beside the lane, so that a question about a long route delays neither appends
/// nor deltas. It reads a few stretches of a route at a time, for each user in turn, so that it delays nobody else's
/// questions either (rule Q1).
final class Fetcher: Sendable {
    private let thread: StoreThread<FetchWork>

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the fetcher's thread with each question and its answer.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (PendingFetch) -> Void
    ) {
        thread = StoreThread(
            "fetcher", configuration, priority: .background, logger: logger, isStopping: isStopping, owner: \.user
        ) { work, store in
            var rest = work
            rest.fetch.found = Self.step(&rest, store, logger)
            if rest.fetch.found != nil { report(rest.fetch) }
            return (rest.fetch.found == nil ? rest : nil, Work.fetchStep)
        }
    }

    func start() { thread.start() }
    func post(_ work: FetchWork) { thread.post(work) }

    /// Ends the thread. Questions that wait get no answer: their sessions are ended by the shut-down.
    func stop() { thread.stop() }

    /// Reads some of the points. Nil when more are to be read.
    private static func step(
        _ work: inout FetchWork, _ store: StoreConnection, _ logger: Logger
    ) -> PendingFetch.Found? {
        let request = work.fetch.request
        do {
            var search = try work.search ?? begin(work, store)
            let answer = try search.step { ids in
                switch work.chunks {
                case .inState(let chunks): chunks
                case .inTable: try store.chunks(ids, of: work.rows)
                }
            }
            work.search = search
            guard let answer else { return nil }
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

    private static func begin(_ work: FetchWork, _ store: StoreConnection) throws -> SealedRouteSearch {
        switch work.chunks {
        case .inState(let chunks):
            return try SealedRouteReader(heads: chunks).search(for: work.fetch.request.question)
        case .inTable:
            return try store.asking(work.anchors) {
                try store.search(for: work.fetch.request.question, in: work.rows)
            }
        }
    }
}
