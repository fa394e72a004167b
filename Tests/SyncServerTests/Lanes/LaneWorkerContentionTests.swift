import EventStore
import Foundation
import PostgresClient
import Testing
import Waits

@testable import FocusCore
@testable import SyncServer

/// A lane beside another server that appends to the same partition before each of its statements.
@Suite("LaneWorker beside another server") struct LaneWorkerContentionTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let loader: PartLoader

    init() { loader = PartLoader(store, mailbox) }

    private func worker(_ change: (inout LaneConfiguration) -> Void = { _ in }) throws -> LaneWorker {
        var configuration = LaneConfiguration()
        configuration.gatherMicroseconds = 0
        change(&configuration)
        let worker = LaneWorker(
            context: LaneSamples.context(time, configuration), index: 0, partitions: [PartLog.partition],
            mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: NoService(),
                folder: NoService()))
        try turns(worker, [])
        try turns(
            worker,
            [
                .open(connections.handle(1), LaneSamples.opening(LaneSamples.identity(anna))),
                .open(connections.handle(2), LaneSamples.opening(LaneSamples.identity(anna))),
            ])
        _ = (connections.told(1, worker.deliveries), connections.told(2, worker.deliveries), store.called())
        return worker
    }

    /// Has a turn, and more as long as the loader has answered.
    private func turns(_ worker: LaneWorker, _ requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    private func append(_ id: UInt64, at sequence: Int64 = 1, events: Int = 1) -> LaneRequest {
        let bodies = (0..<events).map { LaneSamples.focus("f\($0)") }
        return .append(session: id, LaneSamples.append(id, bodies, at: sequence).request)
    }

    /// Has another server append an event before each lock, and before each statement that has not locked.
    private func contend(_ count: Int = 1) {
        store.othersAppend = { [store, ben] in for _ in 0..<count { store.appendFocus("b", of: ben) } }
    }

    private var own: Int { store.events.count { $0.user == anna && $0.device != .server } }

    @Test("P1: an append that came too late is in the log with the next turn, which locks first")
    func progresses() throws {
        let worker = try worker()
        contend()
        try worker.turn(taking: [append(1)])
        #expect(own == 0 && connections.told(1, worker.deliveries).isEmpty)
        _ = store.called()
        try turns(worker, [])
        #expect(own == 1 && connections.told(1, worker.deliveries).first == "answered  100")
        #expect(store.called().suffix(2) == ["lock", "append"] && !store.isLocked)
        #expect(worker.context.contention.counts == ContentionCounts(late: 1, locked: 1))
        for sequence in Int64(2)...20 {
            try turns(worker, [append(1, at: sequence)])
            #expect(own == Int(sequence))
        }
        #expect(worker.context.contention.counts == ContentionCounts(late: 1, locked: 20))
    }

    @Test("A3: whom an append revokes is cut off once the log has it, and answered before; not when another server was first")
    func revokesItself() throws {
        let worker = try worker()
        let device = try #require(worker.sessions[1]?.identity.device)
        contend()
        let revoked = LaneSamples.append(1, [.deviceRevoked(DeviceRevoked(device: device))])
        try worker.turn(taking: [.append(session: 1, revoked.request)])
        #expect(own == 0 && connections.told(1, worker.deliveries).isEmpty)
        try turns(worker, [])
        let told = connections.told(1, worker.deliveries)
        #expect(own == 1 && told.first == "answered  100" && told.last == "cut off", "\(told)")
    }

    @Test(
        "A3: where a fold fails, those are cut off whom the log revokes, and nobody for what came too late",
        arguments: [false, true])
    func revokesBeforeFailure(isLate: Bool) throws {
        let app = try #require(AppID("com.example.mail"))
        store.append(.notificationPosted(NotificationPosted(notificationID: "n", body: "b")), of: anna, app: app)
        let worker = try worker()
        let row = RowKey(.notifications, app: app, key: "n")
        _ = worker.users[anna]?.state.shared.store.put(row, [0xff], at: Version(1))
        if isLate { contend() }
        let device = try #require(worker.sessions[2]?.identity.device)
        let revoked = LaneSamples.append(1, [.deviceRevoked(DeviceRevoked(device: device))])
        let renamed = LaneSamples.append(1, [.appRegistered(AppRegistered(name: "Mail", build: 1))], at: 2, app: app)
        try worker.turn(taking: [.append(session: 1, revoked.request), .append(session: 1, renamed.request)])
        #expect(worker.users.resident.isQuarantined(anna))
        #expect(own == (isLate ? 1 : 2))
        #expect(connections.told(2, worker.deliveries) == (isLate ? [] : ["cut off"]))
    }

    @Test("Users in memory have the gap folded, and are not loaded again")
    func keepsUsers() throws {
        let worker = try worker { $0.refoldLimit = 3 }
        contend(3)
        try turns(worker, [append(1)])
        try turns(worker, [])
        let asked = loader.asked
        for sequence in Int64(2)...5 {
            // The user has events of the other server too: their versions go on behind them.
            store.othersAppend = { [store, anna] in store.appendFocus("of another", of: anna) }
            try turns(worker, [append(1, at: sequence)])
        }
        #expect(own > 5 && loader.asked == asked)
        let versions = store.events.filter { $0.user == anna }.map(\.version.rawValue)
        #expect(versions == Array(1...Int64(versions.count)))
    }

    @Test("A gap of more events than are folded one by one is met too: users who have some there are loaded again")
    func wideGap() throws {
        let worker = try worker { $0.refoldLimit = 2 }
        contend(3)
        try turns(worker, [append(1)])
        try turns(worker, [])
        #expect(own == 1)
        // Who has events in the gap is not in memory when the frames are staged: they are with the turn after.
        var once = true
        store.othersAppend = { [store, anna] in
            if once { for _ in 0..<3 { store.appendFocus("of another", of: anna) } }
            once = false
        }
        try turns(worker, [append(1, at: 2)])
        try turns(worker, [])
        #expect(own == 5)
    }

    @Test("Who is loaded while another server appends for them without pause is in memory with the first answer")
    func loadsAmidGaps() throws {
        let worker = try worker { $0.refoldLimit = 2 }
        loader.isPrompt = false
        let asked = loader.asked
        func appendMore() { for _ in 0..<3 { store.appendFocus("b", of: ben) } }
        appendMore()
        let opening = LaneSamples.opening(LaneSamples.identity(ben))
        try worker.turn(taking: [.open(connections.handle(3), opening)])
        for _ in 0..<3 where loader.asked == asked || worker.users[ben] == nil {
            appendMore()
            try worker.turn(taking: [.headsMayHaveMoved])
            loader.answer()
            appendMore()
            try worker.turn(taking: mailbox.receive(until: .passed))
            store.appendFocus("c", of: ben)
        }
        #expect(connections.told(3, worker.deliveries).first == "opened" && loader.asked == asked + 1)
        try worker.turn(taking: [.headsMayHaveMoved])
        #expect(worker.users[ben]?.state.version == Version(10))
    }

    @Test("While partitions are locked a statement is small; what does not fit goes next, in its order")
    func smallBatches() throws {
        let worker = try worker { $0.eventsPerLock = 2 }
        // Each binds its incarnation first.
        try turns(worker, [append(1), append(2)])
        contend()
        try worker.turn(taking: [append(1, at: 2)])
        let more = [append(1, at: 3), append(2, at: 2), append(1, at: 4)]
        try worker.turn(taking: mailbox.receive(until: .passed) + more)
        #expect(own == 4)
        try turns(worker, [])
        #expect(own == 6)
        let sequences = store.events.filter { $0.user == anna && $0.device != .server }.map(\.sequence.rawValue)
        #expect(sequences == [1, 1, 2, 2, 3, 4])
    }

    @Test("After its time a partition is appended to without a lock, unless others still append to it")
    func ends() throws {
        let worker = try worker()
        contend()
        try turns(worker, [append(1)])
        try turns(worker, [])
        time.advance(4_999)
        try turns(worker, [append(1, at: 2)])
        store.othersAppend = nil
        time.advance(4_999)
        _ = store.called()
        try turns(worker, [append(1, at: 3)])
        #expect(store.called().suffix(2) == ["lock", "append"])
        time.advance(1)
        try turns(worker, [append(1, at: 4)])
        #expect(store.called().last == "append" && worker.context.contention.counts.locked == 3 && own == 4)
    }

    @Test("Nothing stays locked: not when nothing is appended, when the statement fails, or when the log fell back")
    func unlocks() throws {
        let worker = try worker()
        contend()
        try turns(worker, [append(1)])
        try turns(worker, [])
        // A repeat, which is looked up before it is answered: nothing is appended.
        try turns(worker, [append(1)])
        #expect(!store.isLocked)
        store.appendFailure = PostgresError(kind: .insufficientResources, message: "full")
        try turns(worker, [append(2)])
        #expect(!store.isLocked && connections.told(2, worker.deliveries).first == "answered  100" && own == 1)
        store.appendFailure = LogTruncated(PartLog.partition)
        #expect(throws: LogTruncated.self) { try turns(worker, [append(2)]) }
        #expect(!store.isLocked)
    }

    @Test("A database that refuses to lock has the statement go without")
    func notLocked() throws {
        let worker = try worker()
        contend()
        try worker.turn(taking: [append(1)])
        store.othersAppend = nil
        store.lockFailure = PostgresError(kind: .insufficientResources, message: "full")
        try turns(worker, [])
        #expect(own == 1 && worker.context.contention.counts.locked == 0)
    }
}
