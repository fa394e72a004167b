import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import EventStore
@testable import SyncServer

/// A server over a log that earlier programs may still read, with devices of both protocols, while an operator raises
/// the format (`focusctl migrate --finish`). See `EarlierLog`.
@Suite("A server of an earlier format", .fewAtATime) struct EarlierFormatTests {
    private let log: EarlierLog
    private let user = EarlierLog.user
    private let device = EarlierLog.device

    init() async throws { log = try await EarlierLog.make() }

    @Test(
        "P10, E1: protocol 1 for devices old and new while earlier programs read the log; Recall once the format is raised"
    )
    func raisedWhileServed() async throws {
        let server = try await TestServer.start(conninfo: log.conninfo)
        let known = Set(log.events.map(\.type))
        // A device of protocol 1 that stays connected.
        let events: [Envelope] = (1...3).map { .post("on \($0)", app: "a") }
        let (old, welcome) = try await WireClient.open(server, user: user, protocols: 1...1)
        #expect(welcome.protocolVersion == 1)
        try await old.append(from: 1, [events[0]])
        #expect(try await old.appended().refused.isEmpty)
        for protocols: ClosedRange<UInt32> in [1...1, 1...2] { try await expectNoRecall(server, protocols) }
        // A restored store: the log has one of its queued events, and another event at the place of the second.
        let phone = try await RestoredLibrary(server)
        try await phone.connect()
        try await awaiting("it waits for a newer server") { phone.heard.waits > 0 }
        #expect(phone.heard.protocols.allSatisfy { $0 == 1 })
        #expect(try phone.isQueued(phone.new))
        #expect(try await onThread { try server.events(of: phone.user).map(\.id) } == phone.logged)
        try await old.append(from: 2, [events[1]])
        #expect(try await old.appended().refused.isEmpty)
        #expect(try await types(server).isSubset(of: known))

        try await server.raiseFormat { try await WireClient.open(server, user: .random()) }
        // Rows arrived all the time; a new connection continues with the events that waited.
        await phone.reconnect()
        let answers = try await phone.answers()
        #expect(answers.map(\.event) == phone.queued && answers.allSatisfy(\.isAccepted))
        #expect(phone.heard.protocols.last == 2 && phone.heard.reports.count == 1)
        let itself = try await onThread { try server.events(of: phone.user).filter { $0.device != .server } }
        #expect(itself.map(\.id) == phone.logged + [phone.new])
        try await phone.close()
        // The session from before the change continues in its protocol, and what it sends again is answered.
        try await old.append(from: 3, [events[2]])
        #expect(try await old.appended().refused.isEmpty)
        try await old.append(from: 1, events)
        let again = try await old.appended()
        #expect(again.refused.isEmpty && again.throughSequence == DeviceSequence(3))
        await old.close()
        try await expectRecall(server)
        #expect(
            try await types(server).subtracting(known)
                == [EventType.deviceIncarnationBegan.rawValue, EventType.deviceIncarnationEnded.rawValue])
        try await server.server.stop()
    }

    private func open(
        _ server: TestServer, _ incarnation: Int64, protocols: ClosedRange<UInt32> = 1...2
    ) async throws -> (WireClient, Welcome) {
        try await WireClient.open(
            server, user: user, device: device, incarnation: incarnation, protocols: protocols)
    }

    /// Expects that repeats the log remembers are answered in any incarnation, and that there is no Recall.
    private func expectNoRecall(_ server: TestServer, _ protocols: ClosedRange<UInt32>) async throws {
        let events = log.events(of: 9000)
        let own = DeviceID.random()
        for (device, incarnation) in [(device, Int64(9000)), (own, 1)] {
            let (client, welcome) = try await WireClient.open(
                server, user: user, device: device, incarnation: incarnation, protocols: protocols)
            #expect(welcome.protocolVersion == 1 && welcome.lastEvent == nil && !welcome.isEnded)
            if device == own {
                let mine: [Envelope] = [.post("mine", app: "a")]
                try await client.append(from: 1, mine)
                #expect(try await client.appended().refused.isEmpty)
                try await client.append(from: 1, mine)
                #expect(try await client.appended().throughSequence == DeviceSequence(1))
            } else {
                try await client.append(from: 1, events.map { try $0.envelope })
                #expect(try await client.appended().throughSequence == DeviceSequence(10))
            }
            for ids in [[], [events[0].id]] {
                try await client.send(
                    .recall(
                        Recall(incarnation: Incarnation(9000), firstSequence: DeviceSequence(1), events: ids)))
                #expect(try await client.error().code == .unknownMessage)
            }
            // The session stays open.
            try await client.flush()
            await client.close()
        }
    }

    private func expectRecall(_ server: TestServer) async throws {
        let events = log.events(of: 4000)
        let (client, welcome) = try await open(server, 4000)
        #expect(welcome.protocolVersion == 2 && !welcome.isEnded)
        let recalled = try await client.recall(4000, from: 1, events.map(\.id) + [EventID.random()])
        #expect(recalled.outcomes == (try events.map { Optional(try log.outcome(of: $0)) }) + [nil])
        await client.close()
        #expect(try await open(server, 4000).1.isEnded)
    }

    private func types(_ server: TestServer) async throws -> Set<String> {
        try await onThread {
            let reader = try server.database()
            defer { reader.close() }
            let result = try reader.query(
                Statement(name: "test_types", sql: "SELECT DISTINCT type::text FROM events"))
            return Set(try (0..<result.rowCount).map { try result.text(row: $0, column: 0) })
        }
    }
}

/// A device with this program's client library and a user of its own.
private final class RestoredLibrary: Sendable {
    struct Heard {
        var protocols: [UInt32] = []
        var waits = 0
        var reports: [RecallReport] = []
    }

    let user = UserID.random()
    /// The events in the log before the device recalls.
    let logged: [EventID]
    let queued: [EventID]
    var new: EventID { queued[queued.count - 1] }
    private let state: String
    private let client: SyncClient
    private let box: NIOLockedValueBox<Heard>
    private let submission = NIOLockedValueBox<Submission?>(nil)

    init(_ server: TestServer) async throws {
        state = try TestDirectory.make()
        let box = NIOLockedValueBox(Heard())
        let device = DeviceID.random()
        let token = try TestServer.token(user, device)
        let directory = state + "/device"
        func open() throws -> SyncClient {
            var configuration = SyncClientConfiguration.patient(port: server.port, token: token)
            configuration.onUpdate = { update in
                box.withLockedValue { heard in
                    switch update {
                    case .connected(let welcome): heard.protocols.append(welcome.protocolVersion)
                    case .recallWaits: heard.waits += 1
                    case .recalled(let report): heard.reports.append(report)
                    default: break
                    }
                }
            }
            return try SyncClient(configuration: configuration, store: DeviceStore(directory: directory))
        }
        func live(_ body: (SyncClient) async throws -> [EventID]) async throws -> [EventID] {
            let client = try open()
            let events = try await body(client)
            await client.close()
            try client.store.close()
            return events
        }
        var logged = try await live { try await $0.append(Self.drafts(0..<3)).map(\.event) }
        // The event is durable but not sent, because this client does not connect.
        let both = try await live { try await $0.enqueue(Self.drafts(3..<4)).map(\.envelope.id) }
        try FileManager.default.copyItem(atPath: directory, toPath: state + "/backup")
        logged += both
        logged += try await live { client in
            try await client.waitUntilAnswered()
            return try await client.append(Self.drafts(4..<6)).map(\.event)
        }
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.moveItem(atPath: state + "/backup", toPath: directory)
        self.client = try open()
        queued = try await both + self.client.enqueue(Self.drafts(6..<7)).map(\.envelope.id)
        self.logged = logged
        self.box = box
        box.withLockedValue { $0 = Heard() }
    }

    var heard: Heard { box.withLockedValue { $0 } }

    func isQueued(_ event: EventID) throws -> Bool { try client.store.queued().contains { $0.envelope.id == event } }

    func connect() async throws {
        let made = try await client.submitQueued()
        submission.withLockedValue { $0 = made }
    }

    func reconnect() async { await client.reconnect() }

    func answers() async throws -> [AppendOutcome] {
        try await #require(submission.withLockedValue { $0 }).outcomes()
    }

    func close() async throws {
        await client.close()
        try client.store.close()
        try FileManager.default.removeItem(atPath: state)
    }

    /// Drafts of events; the first one registers the app.
    private static func drafts(_ numbers: Range<Int>) -> [EventDraft] {
        numbers.map { number in
            let app = AppID("com.example.app")
            guard number > 0 else { return EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app) }
            return EventDraft(.preferenceChanged(PreferenceChanged(key: "k\(number)", value: .bool(true))), app: app)
        }
    }
}
