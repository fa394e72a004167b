import EventStore
import FocusCore
import Foundation
import Testing
import Waits

@testable import SyncServer

/// A lane whose loader takes its time.
@Suite("LaneWorker beside its loader") struct LaneWorkerLoadTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let loader: PartLoader
    private var worker: LaneWorker

    init() throws {
        loader = PartLoader(store, mailbox)
        worker = Self.worker(LaneConfiguration(), time, mailbox, store, loader)
        try turns([open(2, ben)])
        #expect(told(2).first == "opened")
        loader.isPrompt = false
    }

    private static func worker(
        _ configuration: LaneConfiguration, _ time: PartTime, _ mailbox: Mailbox<LaneRequest>, _ store: PartLog,
        _ loader: PartLoader
    ) -> LaneWorker {
        LaneWorker(
            context: LaneSamples.context(time, configuration), index: 0, partitions: [PartLog.partition],
            mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: NoService(),
                folder: NoService()))
    }

    private func told(_ id: UInt64) -> [String] { connections.told(id, worker.deliveries) }

    private func open(_ id: UInt64, _ user: UserID) -> LaneRequest {
        .open(connections.handle(id), LaneSamples.opening(LaneSamples.identity(user)))
    }

    private func append(_ id: UInt64, at sequence: Int64) -> LaneRequest {
        .append(session: id, LaneSamples.append(id, [LaneSamples.focus()], at: sequence).request)
    }

    /// Has a turn with the requests, and turns until nothing is posted any more.
    private func turns(_ requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    @Test("Who waits for a load keeps nobody else waiting; what came meanwhile is in the state that they get")
    func delaysNobody() throws {
        store.appendFocus("a", of: anna)
        try turns([open(1, anna)])
        let question = loader.questions.map { $0.users.map(\.1) }
        #expect(question == [[anna]])
        // The load sees the log as it is now; then both users' events come.
        let seen = try store.loaded(anna)
        try turns([append(2, at: 1)])
        #expect(told(2).contains("answered  100") && told(1).isEmpty)
        store.appendFocus("b", of: anna)
        try turns([.headsMayHaveMoved])
        try turns([
            .loaded(
                LoadAnswer(
                    number: loader.questions[0].number, found: .success(FoundUsers(loaded: [anna: .success(seen)]))))
        ])
        #expect(told(1).first == "opened")
        #expect(worker.users[anna]?.state.version == Version(2))
    }

    @Test("P6: frames of a user who is loaded again wait, in their order, and are answered once the user is there")
    func framesWait() throws {
        let head = worker.log.tails[PartLog.partition]
        worker.users.forget(ben)
        try turns([append(2, at: 1), append(2, at: 2)])
        #expect(!told(2).contains { $0.hasPrefix("answered") } && worker.appends.isEmpty)
        #expect(worker.log.tails[PartLog.partition] == head)
        loader.answer()
        try turns(mailbox.receive(until: .passed))
        #expect(told(2).filter { $0.hasPrefix("answered") } == ["answered  100", "answered  100"])
        #expect(store.events.filter { $0.device != .server }.map(\.sequence.rawValue) == [1, 2])
    }

    @Test("A3: a device that another server's event revokes is cut off although the next event of its user does not fold")
    func revokedAndBroken() throws {
        let phone = DeviceID(UUID())
        try turns([.open(connections.handle(5), LaneSamples.opening(LaneSamples.identity(ben, phone)))])
        _ = told(5)
        store.append(.deviceRevoked(DeviceRevoked(device: phone)), of: ben)
        store.append(.badgeCleared, of: ben)
        store.events[store.events.count - 1].payload = [0xFF]
        try turns([.headsMayHaveMoved])
        #expect(worker.users[ben] == nil && told(5) == ["cut off"])
    }

    @Test("S9: a user for whom memory is too small gets their checkpoint, though the rows for it take many turns to hash")
    mutating func checkpointWithoutMemory() throws {
        for number in 0..<40 { store.appendFocus("focus-\(number)", of: anna) }
        var configuration = LaneConfiguration()
        configuration.cacheBytes = 1
        configuration.hashedBytesPerTurn = 4_000
        loader.isPrompt = true
        worker = Self.worker(configuration, time, mailbox, store, loader)
        try turns([open(1, anna)])
        var heard = told(1)
        for _ in 0..<40 where !heard.contains("checkpoint") {
            time.advance(1)
            try turns([])
            heard += told(1)
        }
        #expect(heard.first == "opened" && heard.last == "checkpoint")
        try turns([])
        #expect(worker.users[anna] == nil)
    }

    @Test("A user whose load fails is quarantined alone")
    func quarantine() throws {
        struct Broken: Error {}
        let carol = UserID(UUID())
        try turns([open(1, anna), open(3, carol)])
        let loaded =
            [anna: .failure(Broken()), carol: .success(try store.loaded(carol))] as [UserID: Result<_, any Error>]
        let answer = LoadAnswer(number: loader.questions[0].number, found: .success(FoundUsers(loaded: loaded)))
        try turns([.loaded(answer)])
        #expect(told(1) == ["user_quarantined"] && told(3).first == "opened")
    }

    @Test("When the database refuses to load, the users are asked for again after a poll's time")
    func failed() throws {
        struct Full: Error {}
        try turns([open(1, anna)])
        let number = loader.questions[0].number
        try turns([.loaded(LoadAnswer(number: number, found: .failure(Full())))])
        #expect(loader.questions.count == 1 && told(1).isEmpty)
        time.advance(250)
        try turns([])
        #expect(loader.questions.last?.number == number + 1)
    }
}
