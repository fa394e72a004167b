import EventStore
import FocusCore
import Foundation
import PostgresClient
import Testing
import Waits

@testable import SyncServer

/// A lane whose folder takes its time.
@Suite("LaneWorker beside its folder") struct LaneWorkerFoldTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let app = AppID("com.example.app")!
    private let device = DeviceID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let folder = PartFolder()
    private let loader: PartLoader
    private let worker: LaneWorker

    /// Keeps what it is to fold.
    private final class PartFolder: LaneFolder {
        var tasks: [FoldTask] = []
        func start() {}
        func stop() {}
        func post(_ task: FoldTask) { tasks.append(task) }
        func discard(_ states: [UserState]) {}
    }

    init() throws {
        loader = PartLoader(store, mailbox)
        var configuration = LaneConfiguration()
        configuration.gatherMicroseconds = 0
        configuration.workBesideLane = 0
        configuration.foldsBesideLane = 1
        worker = LaneWorker(
            context: LaneSamples.context(time, configuration), index: 0, partitions: [PartLog.partition],
            mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: NoService(),
                folder: folder))
        for user in [anna, ben] {
            let registered = AppRegistered(name: "App", build: 1, declaredIntents: [], capabilities: [])
            store.append(.appRegistered(registered), of: user, app: app)
            store.append(.notificationPosted(NotificationPosted(notificationID: "n", body: "b")), of: user, app: app)
        }
        try turns([open(1, anna, device), open(2, ben, DeviceID(UUID()))])
        try turns([append(1, [LaneSamples.focus()], at: 1), append(2, [LaneSamples.focus()], at: 1)])
        _ = (told(1), told(2))
    }

    private func told(_ id: UInt64) -> [String] {
        connections.told(id, worker.deliveries).filter { !$0.hasPrefix("checkpoint") }
    }

    private func open(_ id: UInt64, _ user: UserID, _ device: DeviceID) -> LaneRequest {
        .open(connections.handle(id), LaneSamples.opening(LaneSamples.identity(user, device)))
    }

    private func append(_ id: UInt64, _ bodies: [EventBody], at sequence: Int64) -> LaneRequest {
        .append(session: id, LaneSamples.append(id, bodies, at: sequence, app: app).request)
    }

    /// Has a turn with the requests, and turns until nothing is posted any more and nothing waits.
    private func turns(_ requests: [LaneRequest] = []) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 || !worker.appends.isEmpty { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    /// The folder answers.
    private func fold() throws {
        let answers = folder.tasks.map { task in
            var task = task
            return LaneRequest.loaded(task.answer())
        }
        folder.tasks = []
        try turns(answers)
    }

    /// Whether the user is in memory with all of the log's events.
    private func isCurrent(_ user: UserID) throws -> Bool {
        guard let rows = worker.users[user]?.state.allRows else { return false }
        return try rows.elementsEqual(store.loaded(user).state.allRows) { $0 == $1 }
    }

    @Test("Q1: a dear event is logged at once and folded beside the lane; its user waits for that, and nobody else")
    func beside() throws {
        try turns([append(1, [.badgeCleared, LaneSamples.focus("b")], at: 2), append(1, [LaneSamples.focus()], at: 4)])
        #expect(folder.tasks.count == 1 && told(1).isEmpty && worker.users[anna] == nil)
        #expect(store.events.last { $0.user == anna }?.type == EventType.badgeCleared.rawValue)
        try turns([append(2, [LaneSamples.focus()], at: 2)])
        #expect(told(2).contains("answered  100") && loader.questions.isEmpty)
        try fold()
        #expect(told(1).filter { $0.hasPrefix("answered") }.count == 2)
        #expect(try isCurrent(anna))
        #expect(store.events.filter { $0.device == device }.map(\.sequence.rawValue) == [1, 2, 3, 4])
    }

    @Test("Q1, L1: a frame that ends with a dear event is answered with the version of its fold, and sends its rows")
    func last() throws {
        var hidden = NotificationSettingsChanged()
        hidden.previews = .never
        try turns([append(1, [LaneSamples.focus("b"), .notificationSettingsChanged(hidden)], at: 2)])
        #expect(told(1).isEmpty)
        try fold()
        #expect(Set(told(1)) == ["answered  100", "rows"])
        #expect(worker.users[anna]?.dirty.keys.contains(RowKey(.notifications, app: app, key: "n")) == true)
        #expect(worker.users[anna]?.dirty.keys.contains(RowKey(.activeFocus)) == true)
    }

    @Test("A3: a device is cut off before the state that knows of its revocation is folded on beside the lane")
    func revoked() throws {
        let other = DeviceID(UUID())
        try turns([open(3, anna, other)])
        _ = told(3)
        try turns([append(1, [.deviceRevoked(DeviceRevoked(device: other)), .badgeCleared], at: 2)])
        #expect(folder.tasks.count == 1 && worker.users[anna] == nil)
        #expect(told(3) == ["cut off"])
    }

    @Test("P1, A3: who is revoked in the statement of a dear event is answered before they are cut off")
    func answeredBeforeCutOff() throws {
        let other = DeviceID(UUID())
        try turns([open(3, anna, other)])
        _ = told(3)
        try turns([
            append(3, [LaneSamples.focus("b")], at: 1),
            append(1, [.deviceRevoked(DeviceRevoked(device: other)), .badgeCleared], at: 2),
        ])
        #expect(folder.tasks.count == 1 && told(3) == ["answered  100", "cut off"])
    }

    @Test("A3: a device is cut off before the state that knows of its revocation is dropped for another generation")
    func revokedBeforeCutOver() throws {
        let other = DeviceID(UUID())
        try turns([open(3, anna, other)])
        _ = told(3)
        store.generation = 2
        try worker.turn(taking: [append(1, [.deviceRevoked(DeviceRevoked(device: other))], at: 2)])
        #expect(worker.users[anna] == nil, "it is to be loaded from the generation that is shown now")
        #expect(told(3) == ["cut off"])
    }

    @Test("Q1: past the bound of events on their way the lane folds them itself")
    func bounded() throws {
        try turns([append(1, [.badgeCleared], at: 2), append(2, [.badgeCleared], at: 2)])
        #expect(folder.tasks.count == 1 && (worker.users[anna] == nil) != (worker.users[ben] == nil))
        try fold()
        #expect(worker.users[anna] != nil && worker.users[ben] != nil)
    }

    @Test("What another server appends meanwhile is in the state that the user gets")
    func followed() throws {
        try turns([append(1, [.badgeCleared], at: 2)])
        store.appendFocus("of another", of: anna)
        try turns([.headsMayHaveMoved])
        try fold()
        #expect(try isCurrent(anna))
    }

    @Test("P2: a dear event whose statement came too late is staged again and logged once; one that was refused is not")
    func notCommitted() throws {
        var once = true
        store.othersAppend = { [store, anna] in
            if once { store.appendFocus("of another", of: anna) }
            once = false
        }
        try turns([append(1, [.badgeCleared], at: 2)])
        try fold()
        #expect(
            told(1).contains("answered  100") && store.events.count { $0.type == EventType.badgeCleared.rawValue } == 1)
        store.appendFailure = PostgresError(kind: .insufficientResources, message: "full")
        try turns([append(1, [.badgeCleared], at: 3)])
        #expect(folder.tasks.isEmpty && told(1).contains("answered  100"))
        #expect(store.events.count { $0.type == EventType.badgeCleared.rawValue } == 1)
    }

    @Test("Rows whose batch failed while their user was away are not lost: the user is loaded with them")
    func batchFailed() throws {
        time.advance(60_000)
        let users = worker.users
        let (batch, unfinished) = try #require(users.makeBatch(worker.log.tails[PartLog.partition], nil))
        #expect(batch.users.contains { $0.user == anna } && users[anna]?.dirty.isEmpty == true)
        try turns([append(1, [.badgeCleared], at: 2)])
        var report = unfinished
        report.result = .failed
        try turns([.projected(PartLog.partition, report)])
        try fold()
        #expect(users[anna]?.dirty.keys.contains(RowKey(.activeFocus)) == true)
    }

    @Test("The checkpoint moves: who has come for a batch stays until it is made, whatever dear events there are")
    func staysForABatch() throws {
        let users = worker.users
        users.forget(anna)
        users.backlog.wait(for: [anna], in: PartLog.partition)
        loader.isPrompt = false
        try worker.turn(taking: [])
        loader.answer()
        // Their dear event comes in the turn in which they do, before the batch is made.
        try turns(mailbox.receive(until: .passed) + [append(1, [.badgeCleared], at: 2)])
        #expect(folder.tasks.isEmpty && users[anna] != nil && users.backlog.keeps(anna, of: PartLog.partition))
        _ = users.makeBatch(worker.log.tails[PartLog.partition], nil)
        try turns([append(1, [.badgeCleared], at: 3)])
        #expect(folder.tasks.count == 1)
    }

    @Test("When the lane starts over, the state that was handed over is not used, and the user is loaded from the log")
    func recovered() throws {
        try turns([append(1, [.badgeCleared], at: 2)])
        worker.recover(from: PostgresError(kind: .insufficientResources, message: "full"))
        loader.isPrompt = false
        try fold()
        #expect(worker.users[anna] == nil)
        loader.answer()
        try turns()
        #expect(try isCurrent(anna))
    }
}
