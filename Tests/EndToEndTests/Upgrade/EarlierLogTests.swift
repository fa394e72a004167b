import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore
@testable import SyncServer

/// Rules E1, P2 and P10 over a log of the last program without them: see `EarlierLog`.
@Suite("A log of an earlier program", .fewAtATime) struct EarlierLogTests {
    private let log: EarlierLog
    private let user = EarlierLog.user
    private let device = EarlierLog.device
    private let a = Scope.app(AppID("a")!)
    private let b = Scope.app(AppID("b")!)

    init() async throws { log = try await EarlierLog.make() }

    // MARK: Read model

    @Test("Its users fold to the bytes that this version of the fold makes")
    func bytes() throws {
        var digests = FoldDigests()
        for user in [user, EarlierLog.other] {
            var state = UserState(user: user)
            for event in log.events where event.user == user { _ = try state.apply(event.decoded()) }
            digests.add(state)
        }
        let differences = try digests.differences(over: "log_v1")
        #expect(differences.isEmpty, "\(FoldDigests.advice)\n\(differences.joined(separator: "\n"))")
    }

    @Test("E1: every user folds; the read model is filled as the events make it, and a rebuild finds no difference")
    func folds() async throws {
        let server = try await TestServer.start(conninfo: log.conninfo)
        for user in [user, EarlierLog.other] {
            let (client, welcome) = try await WireClient.open(server, user: user, incarnation: 77)
            #expect(welcome.lastSequence == .zero)
            _ = try await client.first { if case .checkpoint = $0 { true } else { nil } }
            await client.close()
        }
        try await awaitProjected(server)
        try await expectVerified(server)
        // A server of the version that made the log may still serve it.
        await #expect(throws: RebuildError.earlierFormat(1)) { try await rebuild(server) }
        try await server.raiseFormat { try await WireClient.open(server, user: user, incarnation: 77) }
        try await expectRebuilt(server)
        try await server.server.stop()
    }

    private func awaitProjected(_ server: TestServer) async throws {
        try await onThread {
            let reader = try server.database()
            defer { reader.close() }
            try eventually("the read model has everything") {
                try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0)
                    == reader.query(TestStatement.countEvents).int8(row: 0, column: 0)
            }
        }
    }

    private func expectVerified(_ server: TestServer) async throws {
        let verdicts = try await onThread { [identity = server.log] in
            let reader = try server.database()
            defer { reader.close() }
            return try [EarlierLog.user, EarlierLog.other].map {
                try UserVerifier().verify($0, in: identity.partition(of: $0), on: reader)
            }
        }
        for verdict in verdicts {
            guard case .equal(let rows) = verdict.verdict, rows > 20 else {
                Issue.record("\(verdict)")
                return
            }
        }
    }

    private func rebuild(_ server: TestServer) async throws -> RebuildReport {
        try await onThread {
            var options = RebuildOptions()
            options.maximumLoad = 100
            options.verifies = true
            return try Rebuilder(PostgresConfiguration(conninfo: server.conninfo), options: options).rebuild()
        }
    }

    private func expectRebuilt(_ server: TestServer) async throws {
        let report = try await rebuild(server)
        #expect(report.usersChanged == 0 && report.rowsChanged == 0 && report.eventsAppended == 0)
        #expect(report.events >= Int64(log.events.count))
        try await expectVerified(server)
    }

    // MARK: Repeats

    /// Sends events of an incarnation again and expects the first outcome for each.
    private func expectAnswered(
        _ server: TestServer, _ incarnation: Int64, _ scope: Scope = .system, _ events: [LoggedEvent]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let events = events ?? log.events(of: incarnation)
        let (client, welcome) = try await WireClient.open(
            server, user: user, device: device, scope: scope, incarnation: incarnation)
        try #require(!events.isEmpty && welcome.lastSequence >= events[events.count - 1].sequence)
        try await client.append(from: events[0].sequence.rawValue, events.map { try $0.envelope })
        let answer = try await client.first { message -> Result<Appended, ProtocolError>? in
            switch message {
            case .appended(let appended): .success(appended)
            case .error(let error): .failure(error)
            default: nil
            }
        }
        await client.close()
        guard case .success(let appended) = answer else {
            Issue.record("\(incarnation): \(answer)", sourceLocation: sourceLocation)
            return
        }
        #expect(appended.throughSequence == events[events.count - 1].sequence, sourceLocation: sourceLocation)
        var refused: [RefusedEvent] = []
        for event in events {
            guard case .refused(let code, let message) = try log.outcome(of: event) else { continue }
            refused.append(RefusedEvent(sequence: event.sequence, event: event.id, code: code, message: message))
        }
        #expect(appended.refused == refused, sourceLocation: sourceLocation)
    }

    /// Sends everything again that the device's stores might send.
    private func expectAllAnswered(_ server: TestServer) async throws {
        // An incarnation that did not begin again, with refused events.
        try await expectAnswered(server, 4000)
        // Repeats logged as `already_logged` are answered with the first outcome.
        try await expectAnswered(server, 1002)
        try await expectAnswered(server, 1003)
        // An incarnation that began again several times: each part up to the present one.
        let thousand = log.events(of: 1000)
        try await expectAnswered(server, 1000, .system, Array(thousand[0..<3]))
        try await expectAnswered(server, 1000, .system, Array(thousand[270..<273]))
        try await expectAnswered(server, 1000, .system, Array(thousand[275...]))
        let three = log.events(of: 3000)
        try await expectAnswered(server, 3000, b, Array(three[0..<20]))
        try await expectAnswered(server, 3000, b, Array(three[40...]))
        // When this incarnation began again, its places up to 5 were declared lost; the events it had there before are
        // still answered.
        let two = log.events(of: 2000)
        try await expectAnswered(server, 2000, a, Array(two[0..<7]))
        try await expectAnswered(server, 2000, a, Array(two[61...]))
        for incarnation in Int64(6000)..<6020 { try await expectAnswered(server, incarnation, b) }
        for (incarnation, scope) in stores { try await expectAnswered(server, incarnation, scope) }
    }

    private var stores: [(Int64, Scope)] { [(9000, .system), (9001, a), (9002, b)] }

    private func expectConflict(
        _ server: TestServer, _ incarnation: Int64, _ scope: Scope = .system, from sequence: Int64, _ event: Envelope,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (client, _) = try await WireClient.open(
            server, user: user, device: device, scope: scope, incarnation: incarnation)
        try await client.append(from: sequence, [event])
        let answer = try await client.first { message -> ErrorCode? in
            switch message {
            case .appended: .internal
            case .error(let error): error.code
            default: nil
            }
        }
        await client.close()
        #expect(answer == .sequenceConflict, "\(incarnation)", sourceLocation: sourceLocation)
    }

    /// All events of the user, newest last.
    private func logged(_ server: TestServer) async throws -> [LoggedEvent] {
        try await onThread { [identity = server.log] in
            let reader = try server.database()
            defer { reader.close() }
            return try LogReader().events(
                of: EarlierLog.user, partition: identity.partition(of: EarlierLog.user), after: .zero, limit: 10_000,
                on: reader)
        }
    }

    // MARK: Format 1

    @Test("E1, P2: while earlier programs may read the log, protocol 1 is spoken and all is answered as the first time")
    func earlierFormat() async throws {
        var server = try await TestServer.start(conninfo: log.conninfo)
        #expect(server.log.format == 1)
        for isRestarted in [false, true] {
            if isRestarted {
                // From rows now, instead of from events.
                try await awaitProjected(server)
                try await server.server.stop()
                server = try await TestServer.start(conninfo: log.conninfo)
            }
            let (client, welcome) = try await WireClient.open(server, user: user, device: device, incarnation: 4000)
            #expect(welcome.protocolVersion == 1 && welcome.lastSequence == DeviceSequence(20) && !welcome.isEnded)
            await client.close()
            let before = try await logged(server).count
            try await expectAllAnswered(server)
            try await expectConflict(server, 4000, from: 3, .post("new", app: "a"))
            try await expectConflict(server, 1002, from: 16, .post("new", app: "a"))
            try await expectConflict(server, 2000, a, from: 2, .post("new", app: "a"))
            #expect(try await logged(server).count == before)
            // Devices continue as usual, and nothing is logged that an earlier program does not know.
            let sequence = isRestarted ? Int64(12) : 11
            for (incarnation, scope) in stores {
                let (client, welcome) = try await WireClient.open(
                    server, user: user, device: device, scope: scope, incarnation: incarnation)
                #expect(welcome.lastSequence == DeviceSequence(sequence - 1))
                try await client.append(from: sequence, [.post("on", app: scope.app?.rawValue ?? "a")])
                #expect(try await client.appended().refused.isEmpty)
                await client.close()
            }
            let known = Set(log.events.map(\.type))
            #expect(try await logged(server).allSatisfy { known.contains($0.type) })
        }
        try await awaitProjected(server)
        try await expectVerified(server)
        try await server.server.stop()
    }

    @Test(
        "P10: what an earlier program has forgotten and takes only from 1 on gets nothing while such programs read the log"
    )
    func forgotten() async throws {
        let server = try await TestServer.start(conninfo: log.conninfo)
        let before = try await logged(server).count
        // Incarnations that are older than the last 256.
        for incarnation: Int64 in [4000, 5100] {
            let scope = incarnation == 4000 ? Scope.system : a
            let last = try #require(log.events(of: incarnation).last).sequence
            try await expectConflict(server, incarnation, scope, from: last.next.rawValue, .post("new", app: "a"))
            let (client, _) = try await WireClient.open(
                server, user: user, device: device, scope: scope, incarnation: 1)
            let offer = Reoffer(
                incarnation: Incarnation(incarnation), firstSequence: last.next,
                events: [Reoffer.Offered(envelope: .post("new", app: "a"), outcome: .accepted)], code: [])
            try await client.send(.heal(.reoffer(offer)))
            #expect(try await client.error().code == .sequenceConflict)
            await client.close()
        }
        #expect(try await logged(server).count == before)
        // Once the format is raised, the incarnations go on.
        try await raiseFormat(server)
        let (client, _) = try await WireClient.open(server, user: user, device: device, incarnation: 4000)
        try await client.append(from: 21, [.post("new", app: "a")])
        #expect(try await client.appended().refused.isEmpty)
        await client.close()
        try await server.server.stop()
    }

    // MARK: Format 2

    private func raiseFormat(_ server: TestServer) async throws {
        try await server.raiseFormat {
            try await WireClient.open(server, user: user, device: device, incarnation: 9000)
        }
    }

    private func began(_ server: TestServer) async throws -> [Incarnation: Scope] {
        var began: [Incarnation: Scope] = [:]
        for event in try await logged(server) where event.type == EventType.deviceIncarnationBegan.rawValue {
            guard case .deviceIncarnationBegan(let body) = try event.decoded().body else { continue }
            #expect(event.device == .server && body.device == device && began[body.incarnation] == nil)
            began[body.incarnation] = body.scope
        }
        return began
    }

    /// A session of one scope names an incarnation of another in every possible way.
    private func expectForeign(_ server: TestServer, _ incarnation: Int64, to scope: Scope) async throws {
        let refused = try await WireClient.connect(port: server.port)
        try await refused.hello(token: TestServer.token(user, device, scope), incarnation: incarnation)
        #expect(try await refused.error().code == .sequenceConflict)
        await refused.close()
        let named = Incarnation(incarnation)
        let offer = Reoffer(
            incarnation: named, firstSequence: DeviceSequence(1),
            events: [Reoffer.Offered(envelope: .post("x", app: "a"), outcome: .accepted)], code: [])
        let first = DeviceSequence(1)
        let questions: [ClientMessage] = [
            .recall(Recall(incarnation: named, firstSequence: first, events: [log.events(of: incarnation)[0].id])),
            .heal(.lost(LostEvents(incarnation: named, first: first, last: DeviceSequence(1_000)))),
            .heal(.reoffer(offer)),
        ]
        for question in questions {
            let (client, _) = try await WireClient.open(
                server, user: user, device: device, scope: scope, incarnation: 77)
            try await client.send(question)
            #expect(try await client.error().code == .sequenceConflict)
            await client.close()
        }
    }

    private func expectKept(_ server: TestServer, last: Int64) async throws {
        try await expectForeign(server, 4000, to: a)
        try await expectForeign(server, 9002, to: a)
        try await expectForeign(server, 9001, to: .system)
        try await expectForeign(server, 7, to: .system)
        for (incarnation, scope) in stores {
            let (client, welcome) = try await WireClient.open(
                server, user: user, device: device, scope: scope, incarnation: incarnation)
            #expect(welcome.protocolVersion == 2 && welcome.lastSequence == DeviceSequence(last) && !welcome.isEnded)
            await client.close()
        }
    }

    @Test("P10: once the format is raised, who names an incarnation first has it: nothing of it reaches another scope")
    func adopted() async throws {
        var server = try await TestServer.start(conninfo: log.conninfo)
        try await raiseFormat(server)
        #expect(try await began(server).isEmpty)
        let before = try await logged(server).count
        try await expectAllAnswered(server)
        // Two scopes used this incarnation; it belongs to the first one.
        try await expectAnswered(server, 7, a)
        var expected: [Incarnation: Scope] = [7: a, 1000: .system, 1002: .system, 1003: .system, 4000: .system]
            .merging([2000: a, 3000: b, 9000: .system, 9001: a, 9002: b]) { $1 }
            .reduce(into: [:]) { $0[Incarnation($1.key)] = $1.value }
        for incarnation in Int64(6000)..<6020 { expected[Incarnation(incarnation)] = b }
        #expect(try await began(server) == expected)
        // Nothing else was logged.
        #expect(try await logged(server).count == before + expected.count)
        try await expectKept(server, last: 10)
        for (incarnation, scope) in stores {
            let (client, _) = try await WireClient.open(
                server, user: user, device: device, scope: scope, incarnation: incarnation)
            try await client.append(from: 11, [.post("on", app: scope.app?.rawValue ?? "a")])
            #expect(try await client.appended().refused.isEmpty)
            await client.close()
        }
        try await awaitProjected(server)
        try await server.server.stop()
        server = try await TestServer.start(conninfo: log.conninfo)
        #expect(server.log.format == EventStore.logFormats.upperBound)
        try await expectAllAnswered(server)
        try await expectKept(server, last: 11)
        #expect(try await began(server) == expected)
        try await awaitProjected(server)
        try await expectVerified(server)
        try await expectRebuilt(server)
        try await expectAllAnswered(server)
        try await server.server.stop()
    }

    @Test("P10: what is recalled of an earlier log is held where it stands, however often its incarnation began again")
    func recalled() async throws {
        var server = try await TestServer.start(conninfo: log.conninfo)
        try await raiseFormat(server)
        let (thousand, doubles) = (log.events(of: 1000), log.events(of: 1001))
        for isRestarted in [false, true] {
            if isRestarted {
                try await awaitProjected(server)
                try await server.server.stop()
                server = try await TestServer.start(conninfo: log.conninfo)
            }
            try await expectRecalled(server, 1000, Array(thousand[0..<270]))
            try await expectRecalled(server, 1000, Array(thousand[270..<275]))
            try await expectRecalled(server, 1000, Array(thousand[275...]))
            // These places were declared lost when the incarnation began again; the events there are held all the same.
            try await expectRecalled(server, 1001, Array(doubles[0..<266]))
            try await expectRecalled(server, 1002, log.events(of: 1002))
            try await expectConflict(server, 1000, from: 4, .post("late", app: "a"))
            try await expectConflict(server, 1001, from: 283, .post("late", app: "a"))
        }
        let (client, welcome) = try await WireClient.open(server, user: user, device: device, incarnation: 1000)
        #expect(welcome.isEnded)
        // The first id is not in the log; the second event is at another place.
        let stranger = try await client.recall(1000, from: 1, [EventID.random(), thousand[2].id])
        #expect(stranger.outcomes == [nil, nil])
        await client.close()
        try await server.server.stop()
    }

    private func expectRecalled(
        _ server: TestServer, _ incarnation: Int64, _ events: [LoggedEvent],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (client, _) = try await WireClient.open(server, user: user, device: device, incarnation: incarnation)
        let recalled = try await client.recall(incarnation, from: events[0].sequence.rawValue, events.map(\.id))
        await client.close()
        let expected = try events.map { Optional(try log.outcome(of: $0)) }
        #expect(recalled.outcomes.count == expected.count, sourceLocation: sourceLocation)
        let wrong = zip(zip(recalled.outcomes, expected), events).filter { $0.0.0 != $0.0.1 }.map(\.1.sequence)
        #expect(wrong.isEmpty, "\(incarnation): \(wrong.prefix(20)) of \(events.count)", sourceLocation: sourceLocation)
    }
}
