import FocusCore
import Waits

/// What a lane does while it waits for a database that does not answer (rule G2).
///
/// The lane stands still in the middle of a turn, and the store calls back here. So this part asks the database
/// nothing, and touches nothing that a turn may have in hand: users, partitions, what is staged. Whatever it cannot
/// answer by itself is kept for the turn after.
extension LaneWorker {
    private static let reason = "The log cannot be reached at the moment. Send again."

    /// Tells devices to come back later, so that none waits in vain, and nothing gathers here.
    func serveWithoutDatabase() {
        goesOn()
        guard now - log.askedAt >= configuration.unavailableMilliseconds, !sessions.isFresh else { return }
        for connection in sessions.open.dequeueWaiting() { refuse(connection.handle) }
        for request in mailbox.receive(until: .passed) { serveWithoutDatabase(request) }
        // The answers of a session keep their order (rule P6): its frames wait behind one that is under way.
        let busy = Set(underWay.map(\.append.session))
        let answers = appends.withdraw(because: Self.reason) { [sessions] id in
            !busy.contains(id) && sessions[id]?.looksUp.isEmpty ?? true
        }
        for answer in answers { sessions.deliver(answer) }
        deliveries.send()
    }

    private func serveWithoutDatabase(_ request: LaneRequest) {
        switch request {
        case .open(let handle, _):
            deferred.refused(handle.id)
            refuse(handle)
        case .append(let session, let append): appends.enqueue(PendingAppend(session: session, request: append))
        case .headsMayHaveMoved: log.tails.mayHaveMoved = true
        case .figures(let reply): reply(countedFigures())
        case .resume, .activity, .resync, .watch, .unwatch, .close, .fetch, .reach, .fetched, .loaded,
            .audiencesFound, .placesFound, .projected, .confirm, .inquire, .stop:
            deferred.add(request)
        }
    }

    private func refuse(_ handle: SessionHandle) {
        sessions.fail(handle, ProtocolError(.unavailable, Self.reason, retryAfterMilliseconds: 1_000))
    }
}

/// Requests that wait until a lane has the database again.
///
/// Bounded like the mailbox that they come from, but for connections that come and go meanwhile: those were refused,
/// and leave nothing.
struct DeferredRequests {
    private var requests: [LaneRequest] = []
    /// Connections that were refused and are not closed yet.
    private var refused: Set<UInt64> = []

    var isEmpty: Bool { requests.isEmpty }
    /// How many requests and connections are remembered.
    var count: Int { requests.count + refused.count }

    /// Remembers that the connection was not let in: its end concerns nobody.
    mutating func refused(_ id: UInt64) { refused.insert(id) }

    /// Forgets a connection that was refused, as it is closed.
    /// - Returns: whether it was refused.
    mutating func closed(_ id: UInt64) -> Bool { refused.remove(id) != nil }

    mutating func add(_ request: LaneRequest) {
        if case .close(let id) = request, closed(id) { return }
        requests.append(request)
    }

    /// Removes and returns all requests, in their order.
    mutating func dequeueAll() -> [LaneRequest] {
        guard !requests.isEmpty else { return [] }
        defer { requests = [] }
        return requests
    }
}
