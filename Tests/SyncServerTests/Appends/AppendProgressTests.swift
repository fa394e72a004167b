import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Testing
import Waits

@testable import SyncServer

/// Frames whose work takes more than one statement.
@Suite struct AppendProgressTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let finder: Finder
    private let loader: PartLoader

    /// Answers with what the log holds.
    private final class Finder: LanePlaceFinder {
        let (store, mailbox): (PartLog, Mailbox<LaneRequest>)
        init(_ store: PartLog, _ mailbox: Mailbox<LaneRequest>) { (self.store, self.mailbox) = (store, mailbox) }
        func start() {}
        func stop() {}

        func post(_ question: PlaceQuestion, session: UInt64) {
            let events = store.events.filter {
                $0.device == question.device && $0.incarnation == question.incarnation
                    && question.places.contains($0.sequence)
            }
            let found = FoundPlaces(
                places: question.places, filledAt: question.known.filledAt,
                events: events.map { FoundPlaces.Found(logged: $0, isWhole: true, outcome: .accepted) })
            mailbox.post(.placesFound(session: session, found))
        }
    }

    init() {
        loader = PartLoader(store, mailbox)
        finder = Finder(store, mailbox)
    }

    /// A lane whose statements have room for the work of some three events, and two sessions: of Anna and of Ben.
    private func worker(
        _ key: ReceiptKey? = nil, _ change: (inout LaneConfiguration) -> Void = { _ in }
    ) throws -> LaneWorker {
        var configuration = LaneConfiguration()
        configuration.gatherMicroseconds = 0
        configuration.workPerStatement = 80
        change(&configuration)
        var context = LaneSamples.context(time, configuration)
        context.receiptKey = key
        let worker = LaneWorker(
            context: context, index: 0, partitions: [PartLog.partition],
            mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: finder,
                folder: NoService()))
        try turns(worker, [])
        try turns(worker, [open(1, anna), open(2, ben)])
        // Each binds its incarnation.
        try settle(worker, [append(1, 1...1), append(2, 1...1)])
        _ = (connections.deliveries(1, worker.deliveries), connections.deliveries(2, worker.deliveries))
        return worker
    }

    private let devices: [DeviceID] = [DeviceID(UUID()), DeviceID(UUID())]

    private func open(_ id: UInt64, _ user: UserID) -> LaneRequest {
        let identity = LaneSamples.identity(user, id == 1 ? devices[0] : devices[1])
        return .open(connections.handle(id), LaneSamples.opening(identity))
    }

    private func append(_ id: UInt64, _ sequences: ClosedRange<Int64>) -> LaneRequest {
        let bodies = sequences.map { LaneSamples.focus("f\($0)") }
        return .append(session: id, LaneSamples.append(id, bodies, at: sequences.lowerBound).request)
    }

    /// Has a turn, and more as long as services have answered.
    private func turns(_ worker: LaneWorker, _ requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    /// Has turns until nothing waits.
    private func settle(_ worker: LaneWorker, _ requests: [LaneRequest]) throws {
        try turns(worker, requests)
        while !worker.appends.isEmpty { try turns(worker, []) }
    }

    /// The sequences of the session's device in the log.
    private func logged(_ device: DeviceID) -> [Int64] {
        store.events.filter { $0.device == device }.map(\.sequence.rawValue)
    }

    /// What the session was told of its appends: through which sequence, or why not.
    private func answers(_ id: UInt64, _ worker: LaneWorker) throws -> [String] {
        try connections.deliveries(id, worker.deliveries).flatMap { delivery -> [String] in
            guard case .answered(let frame, _) = delivery else { return [] }
            var splitter = FrameSplitter(limit: 1 << 20)
            frame.withUnsafeBytes { splitter.feed($0) }
            var told: [String] = []
            while let next = try splitter.next() {
                switch try FrameCodec.decodeServer(next) {
                case .appended(let appended):
                    told.append("through \(appended.throughSequence)")
                    for refused in appended.refused { told.append("not \(refused.sequence)") }
                    for receipt in appended.receipts { told.append("receipt \(receipt.first)-\(receipt.through)") }
                case .error(let error): told.append(error.code.rawValue)
                default: told.append("something else")
                }
            }
            return told.isEmpty ? ["nothing"] : told
        }
    }

    @Test(
        "Q1, P1: a long frame goes on over several statements, others' go between, and it is answered once at its end")
    func goesOn() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21)])
        #expect(logged(devices[0]).count < 10)
        #expect(try answers(1, worker).isEmpty)
        try turns(worker, [append(2, 2...2)])
        #expect(try answers(2, worker) == ["through 2"] && answers(1, worker).isEmpty)
        try settle(worker, [append(1, 22...22)])
        #expect(try answers(1, worker) == ["through 21", "through 22"])
        #expect(logged(devices[0]) == Array(1...22))
    }

    @Test("Q1: bulk takes short statements while somebody asks for little, and long ones when nobody does any more")
    func besideLight() throws {
        let worker = try worker {
            ($0.workPerStatement, $0.workPerUser) = (.max, 2_000)
            ($0.lightWork, $0.workBesideLight) = (60, 200)
        }
        func added() throws -> Int {
            let before = logged(devices[0]).count
            try turns(worker, [])
            return logged(devices[0]).count - before
        }
        try turns(worker, [append(1, 2...401)])
        let long = logged(devices[0]).count - 1
        #expect(try long > 30 && added() > 30)
        // What Ben asked for when he connected has flowed back.
        time.advance(100)
        try turns(worker, [append(2, 2...2)])
        #expect(try answers(2, worker) == ["through 2"])
        for _ in 0..<3 { #expect(try (1...long / 4).contains(added())) }
        time.advance(1_000)
        #expect(try added() > 30)
        try settle(worker, [])
        #expect(try answers(1, worker) == ["through 401"] && logged(devices[0]) == Array(1...401))
    }

    @Test("Q1: bulk takes long statements beside somebody who sent event after event a moment ago")
    func besideFormerBulk() throws {
        let worker = try worker {
            ($0.workPerStatement, $0.workPerUser) = (.max, 2_000)
            ($0.lightWork, $0.workBesideLight, $0.quietWork, $0.quietWorkMilliseconds) = (60, 200, 20, 200)
        }
        for first: Int64 in [2, 22] { try settle(worker, [append(2, first...(first + 19))]) }
        try turns(worker, [append(1, 2...401)])
        // By the statement Ben asks for little now.
        time.advance(500)
        try turns(worker, [append(2, 42...42)])
        let before = logged(devices[0]).count
        try turns(worker, [])
        #expect(try logged(devices[0]).count - before > 30 && answers(2, worker).last == "through 42")
    }

    @Test("Q1: who asks for much rests, and goes on, when statements take long beside one who asks for little")
    func restsBesideLight() throws {
        let worker = try worker {
            ($0.workPerStatement, $0.workPerUser) = (.max, 2_000)
            ($0.lightWork, $0.workBesideLight) = (60, 200)
            ($0.statementMilliseconds, $0.bulkRestPerMillisecond, $0.bulkRestMilliseconds) = (8, 4, 1_000)
        }
        // Appends take their time.
        store.othersAppend = { [time] in time.advance(50) }
        try turns(worker, [append(1, 2...401)])
        try turns(worker, [append(2, 2...2)])
        // Statements took 50 ms at the least until now, so one of 200 ms is too long by 100.
        store.othersAppend = { [time] in time.advance(200) }
        try turns(worker, [append(2, 3...3)])
        let before = logged(devices[0]).count
        store.othersAppend = nil
        time.advance(300)
        for sequence in Int64(4)...6 { try turns(worker, [append(2, sequence...sequence)]) }
        #expect(logged(devices[0]).count == before && before < 401)
        time.advance(200)
        try settle(worker, [])
        #expect(try answers(1, worker) == ["through 401"] && logged(devices[0]) == Array(1...401))
    }

    @Test("Q1, E1: what is sent again is compared in parts too, while somebody asks for little")
    func repeatsBesideLight() throws {
        let worker = try worker {
            ($0.workPerStatement, $0.workPerUser) = (.max, 4_000)
            ($0.lightWork, $0.workBesideLight) = (60, 100)
        }
        let frame = LaneSamples.append(1, (2...101).map { LaneSamples.focus("f\($0)") }, at: 2).request
        try settle(worker, [.append(session: 1, frame)])
        _ = try answers(1, worker)
        // The second statement is beside one of Ben's, who has asked for nothing lately.
        time.advance(100)
        try settle(worker, [append(1, 102...201), append(2, 2...2)])
        _ = (try answers(1, worker), try answers(2, worker))
        try turns(worker, [.append(session: 1, frame)])
        #expect(try answers(1, worker).isEmpty)
        try turns(worker, [append(2, 3...3)])
        #expect(try answers(2, worker) == ["through 3"])
        try settle(worker, [])
        #expect(try answers(1, worker) == ["through 101"] && logged(devices[0]) == Array(1...201))
    }

    @Test("P5, S6: the answer has the refusals and the receipts of all statements")
    func wholeAnswer() throws {
        let worker = try worker(ReceiptKey(secret: Array(repeating: 1, count: 32)))
        let cleared = LaneSamples.append(1, (2...13).map { $0 % 4 == 0 ? .badgeCleared : LaneSamples.focus() }, at: 2)
        try turns(worker, [.append(session: 1, cleared.request)])
        #expect(logged(devices[0]).count < 6)
        try settle(worker, [])
        #expect(
            try answers(1, worker) == ["through 13", "not 4", "not 8", "not 12", "receipt 2-13"])
    }

    @Test("P1, P2: a part whose statement came too late is staged again from where it was, and no event twice")
    func cameTooLate() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21)])
        let before = logged(devices[0])
        var once = true
        store.othersAppend = { [store, anna] in
            if once { store.appendFocus("of another", of: anna) }
            once = false
        }
        try worker.turn(taking: [])
        #expect(logged(devices[0]) == before && !once)
        try settle(worker, [])
        #expect(logged(devices[0]) == Array(1...21))
        #expect(try answers(1, worker) == ["through 21"])
    }

    @Test(
        "E1: a part whose statement fails withdraws its frame; sent again it is answered, and no event is there twice")
    func failed() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21), append(1, 22...22)])
        store.appendFailure = PostgresError(kind: .insufficientResources, message: "full")
        let count = logged(devices[0]).count
        try settle(worker, [])
        // What is behind it is not taken either (rule P4).
        #expect(try answers(1, worker) == ["unavailable", "sequence_gap"] && logged(devices[0]).count == count)
    }

    @Test("E1: a frame that is repeated when a part of it is logged is answered as a whole")
    func repeated() throws {
        let worker = try worker()
        let frame = LaneSamples.append(1, (2...21).map { LaneSamples.focus("f\($0)") }, at: 2).request
        try turns(worker, [.append(session: 1, frame)])
        store.appendFailure = PostgresError(kind: .insufficientResources, message: "full")
        try settle(worker, [])
        #expect(try answers(1, worker) == ["unavailable"])
        try settle(worker, [.append(session: 1, frame)])
        #expect(try answers(1, worker) == ["through 21"] && logged(devices[0]) == Array(1...21))
    }

    @Test("A session that is closed in the middle drops the rest; its user and others go on")
    func closed() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21)])
        let count = logged(devices[0]).count
        try settle(worker, [.close(session: 1)])
        #expect(logged(devices[0]).count == count && worker.appends.isEmpty)
        try settle(worker, [append(2, 2...9)])
        #expect(logged(devices[1]) == Array(1...9))
        #expect(try answers(2, worker) == ["through 9"])
    }

    @Test("A user who is quarantined in the middle: the frame ends with that error, and others go on")
    func quarantined() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21)])
        worker.users.quarantine(anna, CancellationError())
        try settle(worker, [append(2, 2...2)])
        #expect(try answers(1, worker) == ["user_quarantined"])
        #expect(try answers(2, worker) == ["through 2"])
    }

    @Test("A user who leaves memory in the middle is loaded, and the frame goes on")
    func evicted() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21)])
        worker.users.forget(anna)
        try settle(worker, [])
        #expect(try answers(1, worker) == ["through 21"] && logged(devices[0]) == Array(1...21))
    }

    @Test(
        "P8: a session whose frame is logged in parts is not taken for superseded by itself", arguments: [false, true])
    func notSuperseded(isHealing: Bool) throws {
        let worker = try worker()
        time.advance(60_000)
        var frame = LaneSamples.append(1, (2...21).map { LaneSamples.focus("f\($0)") }, at: 2).request
        if isHealing {
            let outcomes = Array(repeating: Outcome.accepted, count: frame.events.count)
            frame.healing = .reoffer(Incarnation(1), outcomes, code: [])
        }
        try turns(worker, [.append(session: 1, frame)])
        store.appendFocus("of another", of: anna)
        try settle(worker, [.headsMayHaveMoved])
        #expect(try answers(1, worker) == ["through 21"])
    }

    @Test("G2: while the database is away a frame that is begun is to be sent again, as a whole")
    func away() throws {
        let worker = try worker()
        try turns(worker, [append(1, 2...21)])
        time.advance(3_000)
        store.waits = { [time] in time.advance(3_000) }
        try turns(worker, [])
        #expect(try answers(1, worker) == ["unavailable"])
    }
}
