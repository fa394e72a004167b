import EventStore
import FocusCore
import Foundation
import Testing
import Waits

@testable import SyncServer

/// A lane that waits for its database, in the middle of a turn.
@Suite("LaneWorker without its database") struct LaneWorkerAbsenceTests {
    private let anna = UserID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let worker: LaneWorker

    init() throws {
        let loader = PartLoader(store, mailbox)
        worker = LaneWorker(
            context: LaneSamples.context(time), index: 0, partitions: [PartLog.partition], mailbox: mailbox,
            store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: NoService(),
                folder: NoService()))
        try worker.turn(taking: [])
    }

    /// Has a turn, and another that takes up who was loaded.
    private func turns(taking requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        try worker.turn(taking: mailbox.receive(until: .passed))
    }

    private func told(_ id: UInt64) -> [String] { connections.told(id, worker.deliveries) }

    private func open(_ id: UInt64) -> LaneRequest {
        .open(connections.handle(id), LaneSamples.opening(LaneSamples.identity(anna)))
    }

    private func append(_ id: UInt64, at sequence: Int64) -> LaneRequest {
        .append(session: id, LaneSamples.append(id, [LaneSamples.focus()], at: sequence).request)
    }

    /// Has a turn whose first call waits for so many milliseconds, and meanwhile does something.
    private func turn(waiting milliseconds: Int64, _ meanwhile: @escaping () -> Void) throws {
        time.advance(1_000)
        store.waits = { [time] in
            time.advance(milliseconds)
            meanwhile()
        }
        try worker.turn(taking: [])
    }

    @Test("G2: 30 s of devices that come and go without the database leave nothing that waits")
    func comingAndGoing() throws {
        var most = 0
        try turn(waiting: 2_000) { [self] in
            for round in UInt64(0)..<300 {
                for device in UInt64(0)..<100 { mailbox.post(open(10 + round * 100 + device)) }
                store.whileWaiting()
                #expect(mailbox.count == 0 && worker.deferred.count == 100)
                for device in UInt64(0)..<100 { mailbox.post(.close(session: 10 + round * 100 + device)) }
                store.whileWaiting()
                most = max(most, mailbox.count + worker.deferred.count)
                time.advance(100)
            }
        }
        #expect(most == 0)
        #expect(told(10) == ["unavailable"] && told(30_009) == ["unavailable"])
    }

    @Test("G2: an answer that comes in time finds everything that came meanwhile, and nobody was refused")
    func shortWait() throws {
        try turn(waiting: 1_999) { [self] in
            mailbox.post(open(1))
            store.whileWaiting()
        }
        #expect(mailbox.count == 1)
        try turns(taking: mailbox.receive(atLeast: 0))
        #expect(told(1).first == "opened")
    }

    @Test("G2, P6: appends are answered `unavailable` in their order; those behind one that is under way wait for it")
    func appends() throws {
        try turns(taking: [open(1), open(2)])
        #expect(told(1).first == "opened" && told(2).first == "opened")
        var calls: [[String]] = []
        // The statement carries the first session's frame, and waits.
        store.appendWaits = { [self] in
            time.advance(2_000)
            for request in [append(1, at: 2), append(2, at: 1), append(2, at: 2)] { mailbox.post(request) }
            store.whileWaiting()
            calls = [told(1), told(2)]
        }
        try worker.turn(taking: [append(1, at: 1)])
        #expect(calls == [[], ["answered  100", "answered  100"]])
        #expect(told(1).first == "answered  100")
        try worker.turn(taking: mailbox.receive(atLeast: 0))
        #expect(told(1).first == "answered  100" && worker.deferred.isEmpty)
        #expect(store.events.count { $0.device != .server } == 2)
    }

    @Test("G2: a session that ends meanwhile is forgotten afterwards; what else it asked for does no harm")
    func closed() throws {
        try turns(taking: [open(1)])
        try turn(waiting: 2_000) { [self] in
            mailbox.post(.resume(session: 1))
            mailbox.post(.close(session: 1))
            store.whileWaiting()
            #expect(worker.deferred.count == 2)
        }
        try worker.turn(taking: [])
        #expect(worker.deferred.count == 0 && worker.sessions[1] == nil)
    }
}
