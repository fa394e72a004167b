import EventStore
import FocusCore
import FocusWire
import Foundation
import Testing
import Waits

@testable import SyncServer

/// Rules L6 and T5: what a lane logs of the reports of its sessions.
@Suite struct LaneActivityTests {
    private let user = UserID(UUID())
    private let devices = [DeviceID(UUID()), DeviceID(UUID())]
    private let chat = AppID("com.example.chat")!
    private let store = PartLog()
    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let loader: PartLoader

    init() { loader = PartLoader(store, mailbox) }

    /// A lane with two sessions of the user, on a device each; an app that may notify is registered.
    private func worker(
        format: Int32 = EventStore.actionFormat, _ change: (inout LaneConfiguration) -> Void = { _ in }
    ) throws -> LaneWorker {
        store.append(.appRegistered(AppRegistered(name: "Chat", build: 1)), of: user, app: chat)
        store.append(
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), of: user, app: chat)
        var configuration = LaneConfiguration()
        configuration.gatherMicroseconds = 0
        change(&configuration)
        var context = LaneSamples.context(time, configuration)
        context.format = LogFormat(format)
        let worker = LaneWorker(
            context: context, index: 0, partitions: [PartLog.partition], mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: loader, fetcher: NoService(), placeFinder: NoService(),
                folder: NoService()))
        try turns(worker, [])
        try turns(worker, [open(1), open(2)])
        return worker
    }

    private func open(_ id: UInt64) -> LaneRequest {
        let identity = LaneSamples.identity(user, devices[Int(id) - 1])
        return .open(connections.handle(id), LaneSamples.opening(identity))
    }

    private func turns(_ worker: LaneWorker, _ requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
    }

    /// What the server has logged of its own, as `device app` or `device ends`.
    private func logged() throws -> [String] {
        try store.events.filter { $0.device == .server }.map { event in
            switch try event.decoded().body {
            case .deviceActivity(let body): "\(name(body.device)) \(body.app?.rawValue ?? "-")"
            case .deviceActivityEnded(let body): "\(name(body.device)) ends"
            default: event.type
            }
        }
    }

    private func name(_ device: DeviceID) -> Int { (devices.firstIndex(of: device) ?? 7) + 1 }

    @Test("L6: of what is reported the log gets what is news, and the same again before it would run out")
    func news() throws {
        let worker = try worker()
        try turns(worker, [.activity(session: 1, .inUse(nil))])
        #expect(try logged() == ["1 -"])
        for _ in 0..<6 {
            time.advance(20_000)
            try turns(worker, [.activity(session: 1, .inUse(nil))])
        }
        #expect(try logged() == ["1 -"])
        time.advance(20_000)
        try turns(worker, [.activity(session: 1, .inUse(nil))])
        #expect(try logged() == ["1 -", "1 -"])
        try turns(worker, [.activity(session: 1, .inUse(chat))])
        // Nobody's business: an app that notifies nobody.
        try turns(worker, [.activity(session: 1, .inUse(AppID("com.example.diary")))])
        try turns(worker, [.activity(session: 1, .outOfUse)])
        try turns(worker, [.activity(session: 1, .outOfUse)])
        #expect(try logged() == ["1 -", "1 -", "1 com.example.chat", "1 -", "1 ends"])
    }

    @Test("T5: a session that ends takes its report with it, and not that of another session")
    func ends() throws {
        let worker = try worker()
        try turns(worker, [.activity(session: 1, .inUse(nil)), .activity(session: 2, .inUse(chat))])
        try turns(worker, [.close(session: 1)])
        #expect(try logged() == ["1 -", "2 com.example.chat", "1 ends"])
        // What was reported and is not logged yet ends with the session too.
        try turns(worker, [open(1)])
        try turns(worker, [.activity(session: 1, .inUse(nil)), .close(session: 1)])
        #expect(try logged().count == 3)
    }

    @Test("L6: a device that reports more than is logged in an hour counts as out of use, and is heard again later")
    func quota() throws {
        let worker = try worker { $0.activityPerHour = 2 }
        for app in [nil, chat, nil, chat] { try turns(worker, [.activity(session: 1, .inUse(app))]) }
        #expect(try logged() == ["1 -", "1 com.example.chat", "1 ends"])
        time.advance(1_800_000)
        try turns(worker, [.activity(session: 1, .inUse(chat))])
        #expect(try logged().last == "1 com.example.chat")
        // Each device has its own.
        try turns(worker, [.activity(session: 2, .inUse(nil))])
        #expect(try logged().last == "2 -")
    }

    @Test("L6: nothing is logged before the log may hold it")
    func format() throws {
        let worker = try worker(format: EventStore.actionFormat - 1)
        try turns(worker, [.activity(session: 1, .inUse(nil)), .activity(session: 1, .outOfUse)])
        #expect(try logged().isEmpty && worker.activity.isEmpty)
    }

    @Test("L6: where another server appends first it is logged all the same, once")
    func behind() throws {
        let worker = try worker()
        var others = 1
        store.othersAppend = { [store, user] in
            guard others > 0 else { return }
            others -= 1
            store.appendFocus("elsewhere", of: user)
        }
        try turns(worker, [.activity(session: 1, .inUse(nil))])
        for _ in 0..<3 {
            time.advance(300)
            try turns(worker, [])
        }
        #expect(try logged() == ["1 -"] && worker.activity.isEmpty)
        try turns(worker, [.close(session: 1)])
        #expect(try logged() == ["1 -", "1 ends"])
    }

    @Test("T5: an end that another server's append outran is logged all the same, once")
    func endsBehind() throws {
        let worker = try worker()
        try turns(worker, [.activity(session: 1, .inUse(nil))])
        var others = 1
        store.othersAppend = { [store, user] in
            guard others > 0 else { return }
            others -= 1
            store.appendFocus("elsewhere", of: user)
        }
        try turns(worker, [.close(session: 1)])
        for _ in 0..<3 {
            time.advance(300)
            try turns(worker, [])
        }
        #expect(try logged() == ["1 -", "1 ends"] && worker.activity.isEmpty)
    }
}
