import EventStore
import FocusCore
import FocusWire

/// A question of a session, on its way through the lane: at first bare, and once more with what the fetcher found.
struct PendingFetch: Sendable {
    enum Found: Sendable {
        /// The whole frame: made where it costs no lane's time.
        case frame([UInt8])
        case failed(ProtocolError)
    }

    var session: UInt64
    var request: FetchRequest
    var found: Found?
}

/// Rules R1 and R6: the lane decides who may read what, and answers from the state; a finished route's points are read
/// by the `Fetcher`, and what it finds is sent only if the session may still have it then.
///
/// A session has a few fetches under way at most, so what waits here is bounded by the sessions.
final class LaneFetches {
    /// What is to be done about a question.
    private enum Step {
        case send([UInt8])
        /// The route's points are read beside the lane, and the question comes back with them.
        case read(FetchWork)
    }

    private var waiting: [PendingFetch] = []
    private let fetcher: any LaneFetcher
    private let deliveries: DeliveryBatch
    private let generation: (Partition) -> Int32

    /// - Parameter generation: of the partition's read model, as it is shown.
    init(_ fetcher: any LaneFetcher, _ deliveries: DeliveryBatch, generation: @escaping (Partition) -> Int32) {
        (self.fetcher, self.deliveries, self.generation) = (fetcher, deliveries, generation)
    }

    /// Sessions whose questions wait, each as often as it has some.
    var sessions: some Sequence<UInt64> { waiting.lazy.map(\.session) }

    func enqueue(_ fetch: PendingFetch) { waiting.append(fetch) }

    func removeAll() { waiting = [] }

    /// Answers what can be answered; the rest waits for its user. Questions of sessions that are gone are dropped.
    /// - Returns: sessions whose users are to be loaded first.
    func answer(
        _ users: some UserDirectory, now: MonotonicTime, session: (UInt64) -> LaneSession?
    ) -> [LaneSession] {
        var later: [PendingFetch] = []
        var unloaded: [LaneSession] = []
        for fetch in waiting {
            guard let session = session(fetch.session) else { continue }
            guard !users.isAwaitingLoad(session.identity.user) else {
                later.append(fetch)
                unloaded.append(session)
                continue
            }
            switch step(fetch, session, users, now) {
            case .send(let frame): deliveries.addFetched(frame, to: session.handle)
            case .read(let work): fetcher.post(work)
            case nil: break
            }
        }
        waiting = later
        return unloaded
    }

    /// Nil: the session has answered it.
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
        switch user.reading({ $0.fetch(request.question, scope: identity.scope) }) {
        case .answer(let answer):
            return .send(FrameCodec.frame(.fetched(Fetched(request: request.id, version: user.state.version, answer))))
        case .sealed(let chunks):
            switch fetch.found {
            case .frame(let frame): return .send(frame)
            case .failed(let error): return .send(FrameCodec.frame(.error(error)))
            case nil: return FetchWork(fetch, chunks, of: user, generation: generation(user.partition)).map(Step.read)
            }
        case .notFound: return .send(FrameCodec.frame(.error(.notFound(request: request.id))))
        case .unknown: return nil
        }
    }
}

extension FetchWork {
    /// - Parameter generation: of the read model, which has the points. Nil: the question is not about a route.
    fileprivate init?(_ fetch: PendingFetch, _ chunks: SealedChunks, of user: CachedUser, generation: Int32) {
        guard let route = fetch.request.question.route else { return nil }
        let rows = RouteChunkRows(route, of: user.id, in: user.partition, generation: generation)
        self.init(fetch: fetch, version: user.state.version, chunks: chunks, rows: rows)
    }
}
