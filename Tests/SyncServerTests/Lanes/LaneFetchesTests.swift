import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// Questions of sessions, answered from the state or from the points of a finished route.
@Suite struct LaneFetchesTests {
    private let anna = UserID(UUID())
    private let users = PartUsers()
    private let time = PartTime()
    private let connections = PartConnections()
    private let deliveries = DeliveryBatch()
    private let fetcher = Posted()

    private final class Posted: LaneFetcher {
        var work: [FetchWork] = []
        func start() {}
        func stop() {}
        func post(_ work: FetchWork) { self.work.append(work) }
    }

    private var session: LaneSession {
        let identity = LaneSamples.identity(anna)
        return LaneSession(
            handle: connections.handle(1), identity: identity, incarnation: Incarnation(1), protocolVersion: 2,
            subscription: Subscription(
                view: View(scope: .system, device: identity.device, deviceClass: .phone), log: LaneSamples.log,
                resumingAt: nil), openedAt: time.now, lastSequence: .zero)
    }

    private func fetches() -> LaneFetches { LaneFetches(fetcher, deliveries) { _ in PartLog().head } }

    private func question() -> FetchRequest {
        let route = AppItem(AppID("com.example.run")!, "none")
        return FetchRequest(id: 7, .routePoints(route, from: nil, to: nil, limit: 10))
    }

    @Test("A question waits for its user, who is to be loaded; then it is answered")
    func waits() throws {
        let (fetches, session) = (fetches(), session)
        fetches.enqueue(PendingFetch(session: 1, request: question()))
        fetches.answer(users, isFresh: true, now: time.now) { _ in session }
        #expect(connections.told(1, deliveries).isEmpty && Array(fetches.sessions) == [1])
        try users.load(anna, from: PartLog())
        fetches.answer(users, isFresh: false, now: time.now) { _ in session }
        #expect(connections.told(1, deliveries).isEmpty && Array(fetches.sessions) == [1])
        fetches.answer(users, isFresh: true, now: time.now) { _ in session }
        #expect(connections.told(1, deliveries) == ["fetched"] && Array(fetches.sessions).isEmpty)
    }

    @Test("A question of a session that is gone is dropped; a quarantined user's is answered so")
    func ends() {
        let (fetches, session) = (fetches(), session)
        fetches.enqueue(PendingFetch(session: 1, request: question()))
        fetches.answer(users, isFresh: true, now: time.now) { _ in nil }
        #expect(Array(fetches.sessions).isEmpty)
        users.quarantined = [anna]
        fetches.enqueue(PendingFetch(session: 1, request: question()))
        fetches.answer(users, isFresh: true, now: time.now) { _ in session }
        #expect(connections.told(1, deliveries) == ["fetched"])
    }
}
