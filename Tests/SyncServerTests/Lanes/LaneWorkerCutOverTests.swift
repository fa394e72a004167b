import EventStore
import FocusCore
import Foundation
import Testing
import Waits

@testable import SyncServer

/// A lane whose statement finds that its partition shows another generation.
@Suite("LaneWorker and cut-overs") struct LaneWorkerCutOverTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let app = AppID("com.example.app")!
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let worker: LaneWorker

    init() throws {
        var configuration = LaneConfiguration()
        configuration.gatherMicroseconds = 0
        (configuration.workBesideLane, configuration.foldsBesideLane) = (0, 1)
        worker = LaneWorker(
            context: LaneSamples.context(time, configuration), index: 0, partitions: [PartLog.partition],
            mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: PartLoader(store, mailbox), fetcher: NoService(),
                placeFinder: NoService(), folder: NoService()))
        let registered = AppRegistered(
            name: "App", build: 1, declaredIntents: [.sendMessage], capabilities: [.communication, .timeSensitive],
            focusStatusUsageDescription: "why")
        store.append(.appRegistered(registered), of: ben, app: app)
        for kind in [AuthorizationKind.notifications, .focusStatus] {
            let authorized = AuthorizationChanged(kind: kind, status: .authorized)
            store.append(.authorizationChanged(authorized), of: ben, app: app)
        }
        try turns([
            open(1, anna), open(2, ben),
            .watch(connections.handle(1), Viewer(user: anna, scope: .system), [ben]),
        ])
        time.advance(1_000)
        try turns()
    }

    private func open(_ id: UInt64, _ user: UserID) -> LaneRequest {
        .open(connections.handle(id), LaneSamples.opening(LaneSamples.identity(user)))
    }

    /// Has a turn with the requests, and turns until nothing is posted any more and nothing waits.
    private func turns(_ requests: [LaneRequest] = []) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 || !worker.appends.isEmpty { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    @Test("V1: what a statement logs that finds another generation is told to those who watch", arguments: [1, 2])
    func watchers(generation: Int32) throws {
        #expect(connections.told(1, worker.deliveries).contains("statuses"))
        store.appendWaits = { [store] in (store.generation, store.changed) = (generation, []) }
        let change = EventBody.audienceChanged(AudienceChanged(add: [anna], remove: []))
        try turns([.append(session: 2, LaneSamples.append(2, [change], app: app).request)])
        time.advance(1_000)
        try turns()
        #expect(store.events.last?.type == EventType.audienceChanged.rawValue)
        #expect(connections.told(1, worker.deliveries).contains("statuses"))
    }

    @Test("V1: so is what an event changes that is folded beside the lane, behind another of its statement")
    func watchersOfDearEvents() throws {
        // An alert that is held makes the event dear.
        let events: [(EventBody, AppID?)] = [
            (.focusConfigured(FocusConfigured(focusID: "work", name: "Work")), nil),
            (.focusChanged(FocusChanged(focusID: "work", isActive: true)), nil),
            (.notificationPosted(NotificationPosted(notificationID: "n", body: "b")), app),
            (.audienceChanged(AudienceChanged(add: [anna], remove: [])), app),
        ]
        for (body, app) in events { store.append(body, of: ben, app: app) }
        try turns([.headsMayHaveMoved])
        time.advance(1_000)
        try turns()
        #expect(connections.told(1, worker.deliveries).contains("statuses"))
        store.appendWaits = { [store] in (store.generation, store.changed) = (2, []) }
        let bodies: [EventBody] = [
            .preferenceChanged(PreferenceChanged(key: "a", value: .string("b"))),
            LaneSamples.focus(isActive: false),
        ]
        var frame = LaneSamples.append(2, bodies, app: app)
        let last = try #require(store.events.last?.occurredAt)
        frame.request.events[1].envelope.occurredAt = last.adding(microseconds: 1)
        try turns([.append(session: 2, frame.request)])
        time.advance(1_000)
        try turns()
        #expect(store.events.last?.type == EventType.focusChanged.rawValue)
        #expect(connections.told(1, worker.deliveries).contains("statuses"))
    }
}
