import EventStore
import FocusCore
import FocusWire
import Foundation
import Testing
import Waits

@testable import SyncServer

/// A device with a current cursor costs a look-up of its user, and not a load.
@Suite("LaneWorker and outlines") struct LaneWorkerOutlineTests {
    private let anna = UserID(UUID())
    private let phone = DeviceID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let loader: PartLoader
    private let worker: LaneWorker
    private let context: LaneContext

    init() throws {
        loader = PartLoader(store, mailbox)
        loader.isPrompt = false
        context = LaneSamples.context(time)
        worker = LaneWorker(
            context: context, index: 0, partitions: [PartLog.partition], mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: NoService(),
                folder: NoService()))
        for id in ["a", "b"] { store.appendFocus(id, of: anna) }
        // The read model has everything.
        store.checkpoint = Checkpoint(offset: LogOffset(2))
        try turns([])
    }

    private func told(_ id: UInt64) -> [String] { connections.told(id, worker.deliveries) }

    /// Has a turn with the requests, and turns until nothing is posted any more.
    private func turns(_ requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    private func state() throws -> UserState { try store.loaded(anna).state }

    private func view(_ device: DeviceID) -> View { View(scope: .system, device: device, deviceClass: .phone) }

    private func open(_ id: UInt64, _ device: DeviceID, at version: Int64? = nil) -> LaneRequest {
        var opening = LaneSamples.opening(LaneSamples.identity(anna, device))
        let event = store.events.last { $0.user == anna && $0.version.rawValue <= version ?? .max }
        opening.cursor = event.map {
            Cursor(log: LaneSamples.log, version: $0.version, event: $0.id, view: opening.view.hash)
        }
        return .open(connections.handle(id), opening)
    }

    /// What a look-up sees now.
    private func outline() throws -> UserOutline {
        var state = try state()
        let needed: Set<RowCollection> = [.stream, .appStreams, .devices, .incarnations]
        let rows = state.allRows.filter { needed.contains($0.key.collection) }
        return UserOutline(
            state: try UserState(user: anna, version: state.version, loading: rows.map { ($0.key, $0.row) }),
            digests: state.storedDigests(hashingAtMost: .max) ?? .none, head: store.head)
    }

    /// Answers the last question with a look-up.
    private func answer(_ outline: UserOutline) throws {
        let number = try #require(loader.questions.last).number
        try turns([.loaded(LoadAnswer(number: number, found: .success(FoundUsers(outlines: [anna: outline]))))])
    }

    private func pass(_ milliseconds: Int64) throws {
        time.advance(milliseconds)
        try turns([.headsMayHaveMoved])
    }

    @Test("S9: admitted by an outline, and given its checkpoint, without its user in memory")
    func admitted() throws {
        try turns([open(1, phone)])
        #expect(loader.questions.map(\.cursors.count) == [1] && told(1).isEmpty)
        try answer(outline())
        let told = connections.deliveries(1, worker.deliveries)
        guard case .opened? = told.first, told.count == 2, worker.users[anna] == nil else {
            Issue.record("\(told.count) deliveries")
            return
        }
        let head = try state().head(of: view(phone))
        var whole = try state()
        let checkpoint = FrameCodec.frame(
            .checkpoint(
                Cursor(log: LaneSamples.log, version: head.version, event: head.event, view: view(phone).hash),
                whole.digests(in: view(phone))))
        guard case .control(checkpoint)? = told.last else {
            Issue.record("no checkpoint, or another one")
            return
        }
        try pass(10_000)
        #expect(self.told(1).isEmpty && loader.asked == 1 && worker.users[anna] == nil)
        #expect(context.loads.counts == LoadCounts(loaded: 0, lookedUp: 1))
    }

    @Test("P1, A3: an event that is told while the look-up is under way makes it useless")
    func changedMeanwhile() throws {
        try turns([open(1, phone)])
        let seen = try outline()
        store.append(.deviceRevoked(DeviceRevoked(device: phone)), of: anna)
        try turns([.headsMayHaveMoved])
        try answer(seen)
        #expect(told(1).isEmpty && loader.asked == 2)
        loader.answer()
        try turns([])
        #expect(told(1) == ["revoked"])
    }

    @Test("A look-up that saw more than the lane knew is used: what the lane is told afterwards is in it")
    func ahead() throws {
        try turns([open(1, phone)])
        store.appendFocus("c", of: anna)
        var opening = LaneSamples.opening(LaneSamples.identity(anna, phone))
        let head = try state().head(of: opening.view)
        opening.cursor = Cursor(
            log: LaneSamples.log, version: head.version, event: head.event, view: opening.view.hash)
        // The lane hears of the event by the look-up's head alone.
        let number = try #require(loader.questions.last).number
        let found = FoundUsers(outlines: [anna: try outline()])
        try turns([
            .close(session: 1), .open(connections.handle(2), opening),
            .loaded(LoadAnswer(number: number, found: .success(found))),
        ])
        #expect(told(2) == ["opened", "checkpoint"] && worker.users[anna] == nil)
    }

    @Test("S3, S9: an event after the admission: the user is loaded, and the device gets rows and their checkpoint")
    func changedAfterwards() throws {
        try turns([open(1, phone)])
        try answer(outline())
        #expect(told(1) == ["opened", "checkpoint"])
        store.appendFocus("c", of: anna)
        try pass(500)
        #expect(loader.questions.last?.cursors.isEmpty == true && loader.asked == 2)
        try pass(500)
        #expect(told(1).isEmpty, "the digests of before are not those of the rows")
        loader.answer()
        try turns([])
        #expect(told(1) == ["rows"] && worker.users[anna] != nil)
        try pass(1_000)
        #expect(told(1) == ["checkpoint"])
    }

    @Test("S8: another generation after the admission: the user is loaded, and nothing of before is told")
    func anotherGeneration() throws {
        try turns([open(1, phone)])
        try answer(outline())
        #expect(told(1) == ["opened", "checkpoint"])
        (store.generation, store.changed) = (2, [anna])
        try pass(1_000)
        #expect(told(1).isEmpty && loader.asked == 2)
        loader.answer()
        try turns([])
        #expect(told(1).isEmpty && worker.users[anna] != nil, "its rows are the same")
    }

    @Test("S4: a cursor that is not current, or of another view, or none: the user is loaded, and by one question")
    func notCurrent() throws {
        try turns([open(1, phone, at: 1)])
        #expect(loader.questions.map(\.cursors.count) == [1])
        // The loader would have loaded; an outline does not do.
        try answer(outline())
        #expect(told(1).isEmpty && loader.asked == 2 && loader.questions.last?.cursors.isEmpty == true)
        loader.answer()
        try turns([])
        #expect(told(1) == ["opened", "rows", "checkpoint"])
    }

    @Test("Where somebody waits for the user who needs more of them, the user is loaded", arguments: [true, false])
    func twoDevices(isOther: Bool) throws {
        let tablet = DeviceID(UUID())
        var other = LaneSamples.opening(LaneSamples.identity(anna, tablet))
        if isOther {
            other.cursor = Cursor(log: LaneSamples.log, version: Version(2), event: store.events[1].id, view: 1)
        }
        try turns([open(1, phone), .open(connections.handle(2), other)])
        #expect(loader.questions.map(\.cursors.count) == [0])
        loader.answer()
        try turns([])
        #expect(told(1).first == "opened" && told(2).first == "opened")
    }

    @Test("A batch for the read model that waits for the user is made, although they were only looked up")
    func batchWaits() throws {
        try turns([open(1, phone)])
        worker.users.backlog.markDirty(anna, at: LogOffset(0), in: PartLog.partition)
        worker.users.backlog.wait(for: [anna], in: PartLog.partition)
        try answer(outline())
        #expect(told(1) == ["opened", "checkpoint"] && loader.asked == 2)
        loader.answer()
        try turns([])
        #expect(worker.users[anna] != nil)
    }
}
