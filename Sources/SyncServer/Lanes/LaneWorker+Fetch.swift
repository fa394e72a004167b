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
extension LaneWorker {
    /// A session has a few fetches under way at most, so what waits here is bounded by the sessions.
    func answerFetches() {
        // Like rows: a server that has not confirmed its heads does not know who may read what.
        guard !fetches.isEmpty, isFresh else { return }
        let waiting = fetches
        fetches = []
        for fetch in waiting {
            guard let session = sessions[fetch.session] else { continue }
            let identity = session.identity
            guard !users.isAwaitingLoad(identity.user) else {
                plan.awaitRows(identity.user)
                fetches.append(fetch)
                continue
            }
            guard let user = users[identity.user] else {
                var error = userQuarantined(identity.user)
                error.request = fetch.request.id
                send(.error(error), to: session)
                continue
            }
            user.lastUsed = context.clock.monotonic().milliseconds
            let outcome = user.reading { $0.fetch(fetch.request.question, scope: identity.scope) }
            answer(fetch, outcome, to: session, user)
        }
    }

    private func answer(_ fetch: PendingFetch, _ outcome: FetchOutcome, to session: LaneSession, _ user: CachedUser) {
        let id = fetch.request.id
        switch outcome {
        case .answer(let answer):
            send(.fetched(Fetched(request: id, version: user.state.version, answer)), to: session)
        case .sealed(let chunks):
            switch fetch.found {
            case .frame(let frame): send(frame: frame, to: session)
            case .failed(let error): send(.error(error), to: session)
            case nil: read(fetch, chunks, user)
            }
        case .notFound: send(.error(.notFound(request: id)), to: session)
        // The session has answered it.
        case .unknown: break
        }
    }

    private func read(_ fetch: PendingFetch, _ chunks: SealedChunks, _ user: CachedUser) {
        guard let route = fetch.request.question.route else { return }
        let rows = RouteChunkRows(route, of: user.id, in: user.partition, generation: tails[user.partition].generation)
        fetcher.post(FetchWork(fetch: fetch, version: user.state.version, chunks: chunks, rows: rows))
    }

    private func send(_ message: ServerMessage, to session: LaneSession) {
        send(frame: FrameCodec.frame(message), to: session)
    }

    private func send(frame: [UInt8], to session: LaneSession) {
        session.handle.outbox.add(frame.count)
        deliveries.add(.fetched(frame: frame), to: session.handle)
    }
}
