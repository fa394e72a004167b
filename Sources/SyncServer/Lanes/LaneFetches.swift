import EventStore
import FocusCore
import FocusWire

/// A session's question on its way through the lane. A question about a finished route passes twice: the second time
/// with the answer of the `Fetcher`.
struct PendingFetch: Sendable {
    /// What the `Fetcher` found.
    enum Found: Sendable {
        /// The whole answer: the fetcher encodes it, to spare the lane.
        case frame([UInt8])
        case failed(ProtocolError)
    }

    var session: UInt64
    var request: FetchRequest
    /// Nil before the `Fetcher` was asked.
    var found: Found?
}

/// Answers the questions of a lane's sessions (rules R1, R6). The lane decides who may read what, and answers from the
/// user's state. The points of a finished route are read by the `Fetcher`, and sent only if the session may still read
/// them then.
///
/// A session has few fetches under way (`SessionLimits.fetches`), which bounds what waits here.
final class LaneFetches {
    /// What is to be done about a question.
    private enum Step {
        case send([UInt8])
        /// The `Fetcher` reads the route's points, and the question comes back with its answer.
        case read(FetchWork)
    }

    private var waiting: [PendingFetch] = []
    private let fetcher: any LaneFetcher
    private let deliveries: DeliveryBatch
    private let head: (Partition) -> PartitionHead

    /// - Parameter head: gives the head of a partition as the lane knows it.
    init(_ fetcher: any LaneFetcher, _ deliveries: DeliveryBatch, head: @escaping (Partition) -> PartitionHead) {
        (self.fetcher, self.deliveries, self.head) = (fetcher, deliveries, head)
    }

    /// The sessions whose questions wait; a session is there once for each of its questions.
    var sessions: some Sequence<UInt64> { waiting.lazy.map(\.session) }

    func enqueue(_ fetch: PendingFetch) { waiting.append(fetch) }

    func removeAll() { waiting = [] }

    /// Answers the questions whose users are in memory or quarantined; the others go on waiting. Questions of sessions
    /// that have ended are dropped.
    /// - Parameters:
    ///   - isFresh: false while the server has not confirmed its heads: it does not know who may read what, so all
    ///     questions wait, as rows do.
    ///   - session: finds a session by its connection; nil when it has ended.
    func answer(
        _ users: some UserDirectory, isFresh: Bool, now: MonotonicTime, session: (UInt64) -> LaneSession?
    ) {
        guard isFresh else { return }
        var later: [PendingFetch] = []
        for fetch in waiting {
            guard let session = session(fetch.session) else { continue }
            guard !users.isAwaitingLoad(session.identity.user) else {
                later.append(fetch)
                continue
            }
            switch step(fetch, session, users, now) {
            case .send(let frame): deliveries.addFetched(frame, to: session.handle)
            case .read(let work): fetcher.post(work)
            case nil: break
            }
        }
        waiting = later
    }

    /// Nil when there is nothing to do: `Session` refuses an unknown question before it comes here.
    private func step(
        _ fetch: PendingFetch, _ session: LaneSession, _ users: some UserDirectory, _ now: MonotonicTime
    ) -> Step? {
        let (request, identity) = (fetch.request, session.identity)
        guard let user = users[identity.user] else {
            var error = ProtocolError.userQuarantined(
                milliseconds: users.quarantineRest(of: identity.user, now: now))
            error.request = request.id
            return .send(FrameCodec.frame(.error(error)))
        }
        user.lastUsed = now.milliseconds
        let version = session.version(user)
        let isSilent = session.subscription.view.isSilent
        switch user.reading({ $0.fetch(request.question, scope: identity.scope, isSilent: isSilent) }) {
        case .answer(let answer):
            return .send(FrameCodec.frame(.fetched(Fetched(request: request.id, version: version, answer))))
        case .sealed(let chunks):
            switch fetch.found {
            case .frame(let frame): return .send(frame)
            case .failed(let error): return .send(FrameCodec.frame(.error(error)))
            case nil:
                return FetchWork(fetch, chunks, of: user, version, head: head(user.partition)).map(Step.read)
            }
        case .notFound: return .send(FrameCodec.frame(.error(.notFound(request: request.id))))
        case .unknown: return nil
        }
    }
}

extension FetchWork {
    /// Nil when the question is not about a route.
    /// - Parameter head: the partition's, which names the generation of the read model that the points are read from.
    fileprivate init?(
        _ fetch: PendingFetch, _ chunks: SealedChunks, of user: CachedUser, _ version: Version, head: PartitionHead
    ) {
        guard let route = fetch.request.question.route else { return nil }
        let rows = RouteChunkRows(route, of: user.id, in: user.partition, generation: head.generation)
        let anchors = head.anchor.map { [head.partition: $0] } ?? [:]
        self.init(fetch: fetch, version: version, chunks: chunks, rows: rows, anchors: anchors, user: user.id)
    }
}
