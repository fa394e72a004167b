import EventStore
import FocusCore
import Foundation
import PostgresClient
import Testing
import Waits

@testable import SyncServer

@Suite("LaneWorker: quotas") struct LaneWorkerQuotaTests {
    @Test("Q5: events that the database refused are not counted: a device may bring them once more")
    func refused() throws {
        let (store, mailbox, connections) = (PartLog(), Mailbox<LaneRequest>(), PartConnections())
        var configuration = LaneConfiguration()
        configuration.gatherMicroseconds = 0
        configuration.eventsPerDay = 1
        let worker = LaneWorker(
            context: LaneSamples.context(PartTime(), configuration), index: 0, partitions: [PartLog.partition],
            mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: PartLoader(store, mailbox), fetcher: NoService(),
                placeFinder: NoService(), folder: NoService()))
        func turns(_ request: LaneRequest) throws {
            try worker.turn(taking: [request])
            while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
        }
        func append(at sequence: Int64) throws {
            try turns(.append(session: 1, LaneSamples.append(1, [LaneSamples.focus()], at: sequence).request))
        }
        try turns(.open(connections.handle(1), LaneSamples.opening(LaneSamples.identity(UserID(UUID())))))
        store.appendFailure = PostgresError(kind: .insufficientResources, message: "full")
        try append(at: 1)
        #expect(store.events.isEmpty)
        try append(at: 1)
        let logged = store.events
        #expect(logged.last?.type == EventType.focusChanged.rawValue)
        try append(at: 2)
        #expect(store.events == logged, "the quota is used up")
    }
}
