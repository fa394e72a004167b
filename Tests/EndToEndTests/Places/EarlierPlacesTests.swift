import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rules E1, P2, P3 and P10 for events logged long ago: over real TCP and a real log, by a server that has the user in
/// memory, by one that was restarted, and by a second one.
@Suite("Earlier places", .fewAtATime) struct EarlierPlacesTests {
    enum Server: CaseIterable, Sendable { case same, restarted, second }

    private let user = UserID.random()
    private let device = DeviceID.random()

    /// A log that holds these events in incarnation 1, and the server that is asked about them.
    private func with(
        _ which: Server, _ events: [Envelope], _ body: (TestServer) async throws -> Void
    ) async throws {
        let first = try await TestServer.start()
        var (servers, asked) = ([first], first)
        if which == .second {
            asked = try await TestServer.start(conninfo: first.conninfo)
            servers.append(asked)
            // The second server has the user in memory as of before the events.
            let (watcher, _) = try await WireClient.open(asked, user: user)
            _ = try await watcher.first { if case .checkpoint = $0 { true } else { nil } }
            await watcher.close()
        }
        let (client, _) = try await WireClient.open(first, user: user, device: device)
        for start in stride(from: 0, to: events.count, by: 1_000) {
            try await client.append(from: Int64(start) + 1, Array(events[start..<min(start + 1_000, events.count)]))
            _ = try await client.appended()
        }
        await client.close()
        if which == .restarted {
            try await first.server.stop()
            asked = try await TestServer.start(conninfo: first.conninfo)
            servers = [asked]
        }
        try await body(asked)
        for server in servers { try await server.server.stop() }
    }

    private func posts(_ numbers: ClosedRange<Int>, _ name: String = "n") -> [Envelope] {
        numbers.map { .post("\(name)\($0)", app: "a") }
    }

    /// 1,000 events; the first two register the app of the others.
    private var thousand: [Envelope] { Envelope.setUp("a") + posts(3...1_000) }

    private func logged(_ server: TestServer) throws -> [EventID: Int] {
        let database = try server.database()
        defer { database.close() }
        let result = try database.query(TestStatement.loggedIDs)
        var logged: [EventID: Int] = [:]
        for row in 0..<result.rowCount { logged[EventID(try result.uuid(row: row, column: 0)), default: 0] += 1 }
        return logged
    }

    @Test(
        "P2, P3: another event far back is a conflict, never acknowledged, and the session ends",
        arguments: Server.allCases)
    func conflictFarBack(_ server: Server) async throws {
        let events = thousand
        try await with(server, events) { server in
            let new = posts(1...5, "new")
            let (client, welcome) = try await WireClient.open(server, user: user, device: device)
            #expect(welcome.lastSequence == DeviceSequence(1_000) && welcome.lastEvent == events[999].id)
            try await client.append(from: 301, new)
            // The connection may be cut already.
            try? await client.append(from: 306, posts(1...1, "behind"))
            var heard: [ServerMessage] = []
            while true {
                let message = try await client.next()
                switch message {
                case .appended, .error: heard.append(message)
                case .goAway(let goAway):
                    #expect(goAway.code == .sequenceConflict)
                    #expect(await client.isClosed())
                default: continue
                }
                if case .goAway = message { break }
            }
            guard heard.count == 1, case .error(let error) = heard[0] else {
                Issue.record("\(heard)")
                return
            }
            #expect(error.code == .sequenceConflict && error.sequence == DeviceSequence(301))
            let logged = try logged(server)
            #expect(new.allSatisfy { logged[$0.id] == nil })
        }
    }

    @Test(
        "P2: an append whose answer was lost is answered as the first time, refusals and all",
        arguments: Server.allCases)
    func refusedFarBack(_ server: Server) async throws {
        let events = Envelope.setUp("a").prefix(1) + (2...1_000).map { Envelope.post("n\($0)", app: "b\($0 % 7)") }
        try await with(server, Array(events)) { server in
            let (client, _) = try await WireClient.open(server, user: user, device: device)
            try await client.append(from: 1, Array(events))
            let again = try await client.appended()
            #expect(again.throughSequence == DeviceSequence(1_000) && again.refused.count == 999)
            #expect(Set(again.refused.map(\.code)) == ["app_unknown"] && Set(again.refused.map(\.message)).count == 1)
            #expect(again.refused.map(\.event) == events.dropFirst().map(\.id))
            #expect(again.receipts.map(\.first) == [DeviceSequence(1)])
            #expect(try logged(server).values.allSatisfy { $0 == 1 })
            await client.close()
        }
    }

    @Test(
        "P10: a store restored at 300 of 1,000 recalls what it has, and each new event is in the log once",
        arguments: [5, 700, 705, 800])
    func restored(new count: Int) async throws {
        let events = thousand
        try await with(.restarted, events) { server in
            let new = posts(1...count, "new")
            let (client, welcome) = try await WireClient.open(server, user: user, device: device)
            #expect(welcome.lastEvent == events[999].id)
            // Ten events that the log has, unknown to the store, and everything the store has made since.
            let queue = events[290..<300] + new
            var outcomes: [Outcome?] = []
            var next = 291
            while outcomes.count < queue.count {
                let some = queue.dropFirst(outcomes.count).prefix(1_000)
                let recalled = try await client.recall(from: Int64(next), some.map(\.id))
                #expect(recalled.firstSequence == DeviceSequence(Int64(next)) && !recalled.outcomes.isEmpty)
                outcomes += recalled.outcomes
                next += recalled.outcomes.count
            }
            #expect(outcomes == Array(repeating: .accepted, count: 10) + Array(repeating: nil, count: count))
            await client.close()
            // The answer to a Recall is final: the incarnation accepts nothing more.
            let (late, ended) = try await WireClient.open(server, user: user, device: device)
            #expect(ended.isEnded)
            try await late.append(from: 1_001, posts(1...1, "late"))
            #expect(try await late.error().code == .sequenceConflict)
            await late.close()
            let (begun, _) = try await WireClient.open(server, user: user, device: device, incarnation: 2)
            try await begun.append(from: 1, new)
            #expect(try await begun.appended().throughSequence == DeviceSequence(Int64(count)))
            await begun.close()
            let logged = try logged(server)
            #expect((events + new).allSatisfy { logged[$0.id] == 1 })
        }
    }

    @Test("P6: a frame that waits for earlier places keeps its place before what its session sends after it")
    func answersKeepTheirOrder() async throws {
        let events = thousand
        try await with(.same, events) { server in
            // When two frames reach the lane together, the first one stages the end of its incarnation and waits for
            // a look-up.
            for round in 0..<10 {
                let device = round == 0 ? device : DeviceID.random()
                if round > 0 {
                    let (client, _) = try await WireClient.open(server, user: user, device: device)
                    try await client.append(from: 1, posts(1...3, "r\(round)"))
                    _ = try await client.appended()
                    await client.close()
                }
                let (client, _) = try await WireClient.open(server, user: user, device: device, incarnation: 2)
                let recall = Recall(
                    incarnation: Incarnation(1), firstSequence: DeviceSequence(1), events: [events[0].id])
                let append = AppendRequest(firstSequence: DeviceSequence(1), envelopes: posts(1...1, "s\(round)"))
                try await client.send(bytes: FrameCodec.frame(.recall(recall)) + FrameCodec.frame(.append(append)))
                let first = try await client.first { message -> Bool? in
                    switch message {
                    case .recalled: true
                    case .appended: false
                    default: nil
                    }
                }
                #expect(first, "round \(round)")
                await client.close()
            }
        }
    }

    @Test("P10: what is held is recalled with its receipts, which the log takes back as proof")
    func recalledReceipts() async throws {
        let events = thousand
        try await with(.restarted, events) { server in
            let (client, _) = try await WireClient.open(server, user: user, device: device)
            let recalled = try await client.recall(from: 1, events.map(\.id))
            #expect(recalled.outcomes.allSatisfy { $0 == .accepted } && recalled.outcomes.count == 1_000)
            let receipt = try #require(recalled.receipts.first)
            #expect(recalled.receipts.count == 1 && receipt.through == DeviceSequence(1_000))
            var hash = EnvelopeHash()
            for event in events { hash.add(event, .accepted) }
            let subject = ReceiptSubject(
                log: server.log.log, user: user, device: device, incarnation: Incarnation(1), scope: .system)
            #expect(ReceiptKey(secret: TestServer.secret).accepts(receipt, of: subject, hash: hash))
            // A Recall without ids only ends the incarnation.
            #expect(try await client.recall(9, from: 1, []).outcomes.isEmpty)
            await client.close()
        }
    }

    @Test("P10: an app's session reaches nothing of another scope, whatever it names")
    func scopes() async throws {
        let events = thousand
        try await with(.same, events) { server in
            let app = Scope.app(try #require(AppID("a")))
            let refused = try await WireClient.connect(port: server.port)
            try await refused.hello(token: TestServer.token(user, device, app), incarnation: 1)
            #expect(try await refused.error().code == .sequenceConflict)
            await refused.close()
            let (client, _) = try await WireClient.open(
                server, user: user, device: device, scope: app, incarnation: 77)
            for incarnation in Int64(100)..<400 {
                try await client.send(
                    .heal(
                        .lost(
                            LostEvents(
                                incarnation: Incarnation(incarnation), first: DeviceSequence(1),
                                last: DeviceSequence(1)))))
            }
            var tooMany = 0
            for _ in 100..<400 {
                let isRefused = try await client.first { message -> Bool? in
                    switch message {
                    case .appended: false
                    case .error(let error): error.code == .tooMany && error.retryAfterMilliseconds > 0
                    default: nil
                    }
                }
                tooMany += isRefused ? 1 : 0
            }
            #expect(tooMany == 300 - 16)
            try await client.send(
                .recall(Recall(incarnation: Incarnation(1), firstSequence: DeviceSequence(1), events: [events[0].id])))
            #expect(try await client.error().code == .sequenceConflict)
            await client.close()
            let (system, welcome) = try await WireClient.open(server, user: user, device: device)
            #expect(welcome.lastSequence == DeviceSequence(1_000) && !welcome.isEnded)
            try await system.append(from: 1_001, posts(1...1, "next"))
            #expect(try await system.appended().refused.isEmpty)
            try await system.append(from: 998, Array(events[997...999]))
            #expect(try await system.appended().throughSequence == DeviceSequence(1_000))
            await system.close()
        }
    }

    @Test("P10: in protocol 1 there is no Recall, and a repeat among the last 256 is answered as ever")
    func protocolOne() async throws {
        let events = Envelope.setUp("a") + posts(3...300)
        try await with(.same, events) { server in
            let (client, welcome) = try await WireClient.open(
                server, user: user, device: device, incarnation: 2, protocols: 1...1)
            #expect(welcome.protocolVersion == 1 && welcome.lastEvent == nil)
            try await client.append(from: 1, [events[299]])
            #expect(try await client.appended().refused.isEmpty)
            try await client.send(
                .recall(Recall(incarnation: Incarnation(1), firstSequence: DeviceSequence(1), events: [])))
            #expect(try await client.error().code == .unknownMessage)
            await client.close()
            // In protocol 1 the place holds the repeat, which is answered with the first outcome.
            let (again, _) = try await WireClient.open(server, user: user, device: device, incarnation: 2)
            try await again.append(from: 1, [events[299]])
            #expect(try await again.appended().refused.isEmpty)
            await again.close()
        }
    }
}
