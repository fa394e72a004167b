import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rules P2, P3 and P10 for a store that has lost all answers: the log has every event that it holds.
@Suite("Many earlier places", .fewAtATime) struct ManyPlacesTests {
    /// How the device asks for the outcomes of its events.
    enum Way: CaseIterable, Sendable { case recalled, sentAgain }

    /// The number of events in the log; ten times as many with `ops/test --thorough`.
    private static let count =
        ProcessInfo.processInfo.environment["FOCUS_ROUNDS"].flatMap(Int.init) == nil ? 10_000 : 100_000
    /// The number of events in a frame.
    private static let frame = 1_000
    /// The phone's events come in runs of `run`; between two runs are `gap` events of the tablet, more than a run of
    /// places spans.
    private static let (run, gap) = (36, 17)

    private let user = UserID.random()
    private let phone = DeviceID.random()
    private let tablet = DeviceID.random()

    @Test(
        "P2, P10: what the log has of a whole life is answered as the first time, with two statements a frame",
        arguments: Way.allCases)
    func life(_ way: Way) async throws {
        let cluster = try await onThread { try CountedCluster() }
        let events = Self.life()
        let known = try await append(events, in: cluster)
        // The user is loaded from rows, with pages of places among them. The clock stands still, so the server sends no
        // other queries.
        let server = try await TestServer.start(conninfo: cluster.conninfo, clock: ManualTime().clock)
        // A hint of the first frame's commit may come when counting has begun.
        server.server.faults.set(.notifyLost, true)
        let pages = try await onThread { try cluster.integer("SELECT count(*) FROM read_1.place_pages") }
        #expect(pages >= Self.count / Self.run / 256)
        let before = try await onThread { try cluster.integer("SELECT count(*) FROM events") }

        let (client, welcome) = try await WireClient.open(server, user: user, device: phone)
        #expect(welcome.lastSequence == DeviceSequence(Int64(Self.count)) && welcome.lastEvent == events.last?.id)
        let began = ContinuousClock.now
        for start in stride(from: 0, to: Self.count, by: Self.frame) {
            // The first frame also loads the user, opens connections, ends the incarnation and waits for a commit.
            if start == Self.frame { try await onThread { try cluster.beginCounting() } }
            try await expectAnswered(
                way, Array(events[start..<start + Self.frame]), from: start + 1, known, client, server)
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let statements = try await onThread { try cluster.statements() }
        let frames = Self.count / Self.frame - 1
        let sum = statements.reduce(0) { $0 + $1.calls }
        print("\(Self.count) events \(way): \(sum) statements for \(frames) frames, \(seconds) s")
        #expect(sum >= frames && sum <= 2 * frames, "\(statements)")
        await client.close()

        // Recalling logs the end of the incarnation and nothing else.
        let after = try await onThread { try cluster.integer("SELECT count(*) FROM events") }
        #expect(after == before + (way == .recalled ? 1 : 0))
        let twice = try await onThread {
            try cluster.integer(
                "SELECT count(*) FROM (SELECT 1 FROM events GROUP BY event_id HAVING count(*) > 1) AS twice")
        }
        #expect(twice == 0)
        try await server.server.stop()
        try await onThread { try cluster.remove() }
    }

    /// The events of a device's life; every hundredth is refused.
    private static func life() -> [Envelope] {
        Envelope.setUp("a")
            + (3...count).map { number in
                number % 100 == 0 ? .post("n\(number)", app: "unknown") : setting(number)
            }
    }

    private static func setting(_ number: Int) -> Envelope {
        .of(
            .preferenceChanged(PreferenceChanged(key: "k\(number % 50)", value: .integer(Int64(number)))), app: "a")
    }

    /// Appends the phone's events, and the tablet's between them.
    /// - Returns: the phone's events that were refused.
    private func append(_ events: [Envelope], in cluster: CountedCluster) async throws -> [EventID: RefusedEvent] {
        let server = try await TestServer.start(conninfo: cluster.conninfo)
        let (client, _) = try await WireClient.open(server, user: user, device: phone, collections: [.apps])
        let (other, _) = try await WireClient.open(server, user: user, device: tablet, collections: [.apps])
        var refused: [EventID: RefusedEvent] = [:]
        var others = 0
        for start in stride(from: 0, to: events.count, by: Self.run) {
            try await client.append(
                from: Int64(start) + 1, Array(events[start..<min(start + Self.run, events.count)]))
            for event in try await client.appended().refused { refused[event.event] = event }
            try await other.append(from: Int64(others) + 1, (0..<Self.gap).map(Self.setting))
            _ = try await other.appended()
            others += Self.gap
        }
        #expect(refused.count == events.count / 100)
        for client in [client, other] { await client.close() }
        try await onThread {
            try eventually("the read model has everything") {
                try cluster.integer(TestStatement.unprojected.sql) == 0
            }
        }
        try await server.server.stop()
        return refused
    }

    /// Asks for the events of a frame; outcomes and receipts must be those of the first time.
    private func expectAnswered(
        _ way: Way, _ events: [Envelope], from first: Int, _ known: [EventID: RefusedEvent], _ client: WireClient,
        _ server: TestServer
    ) async throws {
        let sequence = DeviceSequence(Int64(first))
        let through = sequence.advanced(by: events.count - 1)
        let expected = events.map { event -> Outcome in
            known[event.id].map { .refused(code: $0.code, message: $0.message) } ?? .accepted
        }
        let receipts: [Receipt]
        switch way {
        case .recalled:
            let recalled = try await client.recall(from: sequence.rawValue, events.map(\.id))
            #expect(recalled.firstSequence == sequence && recalled.outcomes == expected)
            receipts = recalled.receipts
        case .sentAgain:
            try await client.append(from: sequence.rawValue, events)
            let appended = try await client.appended()
            #expect(appended.throughSequence == through)
            #expect(appended.refused == events.compactMap { known[$0.id] })
            receipts = appended.receipts
        }
        var hash = EnvelopeHash()
        for (event, outcome) in zip(events, expected) { hash.add(event, outcome) }
        let subject = ReceiptSubject(
            log: server.log.log, user: user, device: phone, incarnation: Incarnation(1), scope: .system)
        let receipt = try #require(receipts.first)
        #expect(receipts.count == 1 && receipt.first == sequence && receipt.through == through)
        #expect(ReceiptKey(secret: TestServer.secret).accepts(receipt, of: subject, hash: hash))
    }
}

/// A cluster that counts the statements it receives.
private final class CountedCluster: Sendable {
    private let cluster: EmbeddedCluster
    private let directory: String
    private let lock = NSLock()
    // nonisolated(unsafe): accessed only under `lock`.
    private nonisolated(unsafe) let counter: PostgresConnection

    init() throws {
        directory = try TestDirectory.make()
        var settings = Standby.settings
        settings.stopTimeout = .zero
        settings.overrides["shared_preload_libraries"] = "pg_stat_statements"
        settings.overrides["pg_stat_statements.max"] = "5000"
        cluster = try EmbeddedCluster.start(dataDirectory: directory, settings: settings)
        counter = try PostgresConnection(PostgresConfiguration(conninfo: cluster.conninfo))
        try counter.execute("CREATE EXTENSION pg_stat_statements")
    }

    var conninfo: String { cluster.conninfo }

    func integer(_ sql: String) throws -> Int {
        try lock.withLock {
            Int(try counter.query(Statement(name: "test_value", sql: sql)).int8(row: 0, column: 0))
        }
    }

    /// Starts counting.
    func beginCounting() throws {
        // The end of the incarnation, logged by the first frame, may not be projected yet.
        try eventually("nothing runs") {
            try integer(TestStatement.unprojected.sql) == 0
        }
        try lock.withLock { try counter.execute("SELECT pg_stat_statements_reset()") }
    }

    /// The statements since then, without these queries and without the server's periodic check for a standby.
    func statements() throws -> [(calls: Int, sql: String)] {
        let statement = Statement(
            name: "test_statements",
            sql: """
                SELECT calls, left(query, 80) FROM pg_stat_statements
                WHERE query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE '%synchronous_standby_names%'
                """)
        return try lock.withLock {
            let result = try counter.query(statement)
            return try (0..<result.rowCount).map {
                (Int(try result.int8(row: $0, column: 0)), try result.text(row: $0, column: 1))
            }
        }
    }

    func remove() throws {
        lock.withLock { counter.close() }
        try cluster.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
