import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A device that has everything costs a look-up of its user, and not a load.
@Suite("Looked up", .fewAtATime) struct LookedUpTests {
    private static func stored(_ conninfo: String) async throws {
        try await onThread {
            let database = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { database.close() }
            let sql = """
                SELECT count(*) FROM read_1.users u JOIN log_partitions p USING (partition)
                WHERE u.digests_version = u.version AND u.version = (
                    SELECT max(version) FROM events e WHERE e.partition = u.partition AND e.user_id = u.user_id)
                """
            try eventually("the read model has the digests of all users") {
                try database.query(Statement(name: "test_stored", sql: sql)).int8(row: 0, column: 0) == 1
            }
        }
    }

    /// The next checkpoint, and whether rows came before it.
    private static func checkpoint(
        _ client: WireClient
    ) async throws -> (cursor: Cursor, digests: [CollectionDigest], hasRows: Bool) {
        var hasRows = false
        return try await client.first { message in
            if case .checkpoint(let cursor, let digests) = message { return (cursor, digests, hasRows) }
            hasRows = true
            return nil
        }
    }

    @Test(
        "S4, S9: after a restart, a current cursor costs a look-up, and something new costs the load of before",
        arguments: [Scope.system, .app(AppID("com.example.mail")!)])
    func restart(_ scope: Scope) async throws {
        let (user, phone, tablet) = (UserID.random(), DeviceID.random(), DeviceID.random())
        let first = try await TestServer.start()
        let (writer, _) = try await WireClient.open(first, user: user, device: phone)
        try await writer.append(
            from: 1, Envelope.setUp("com.example.mail") + (1...5).map { .post("n\($0)", app: "com.example.mail") })
        #expect(try await writer.appended().throughSequence == DeviceSequence(7))
        let (reader, _) = try await WireClient.open(first, user: user, device: tablet, scope: scope)
        let before = try await Self.checkpoint(reader)
        #expect(before.hasRows && before.digests.contains { $0.count == 5 })
        try await Self.stored(first.conninfo)
        try await first.server.stop()

        let second = try await TestServer.start(conninfo: first.conninfo)
        let (again, _) = try await WireClient.open(
            second, user: user, device: tablet, scope: scope, cursor: before.cursor)
        let current = try await Self.checkpoint(again)
        #expect(!current.hasRows && current.cursor == before.cursor && current.digests == before.digests)
        #expect(second.server.loads == LoadCounts(loaded: 0, lookedUp: 1))

        // Another device appends: its own cursor is none, so the user is loaded, and everybody gets the row.
        let (writing, welcome) = try await WireClient.open(second, user: user, device: phone)
        #expect(welcome.lastSequence == DeviceSequence(7))
        try await writing.append(from: 8, [.post("n6", app: "com.example.mail")])
        let after = try await Self.checkpoint(again)
        #expect(after.hasRows && after.digests.contains { $0.count == 6 })
        #expect(second.server.loads == LoadCounts(loaded: 1, lookedUp: 1))
        try await second.server.stop()

        // What is new since the cursor is sent, by a load.
        let third = try await TestServer.start(conninfo: first.conninfo)
        let (late, _) = try await WireClient.open(
            third, user: user, device: tablet, scope: scope, cursor: before.cursor)
        let caughtUp = try await Self.checkpoint(late)
        #expect(caughtUp.hasRows && caughtUp.cursor == after.cursor && caughtUp.digests == after.digests)
        #expect(third.server.loads == LoadCounts(loaded: 1, lookedUp: 0))
        try await third.server.stop()
    }

    @Test("Where the read model lacks the digests, the user is loaded, and the digests of their checkpoint are kept")
    func filled() async throws {
        let (user, phone) = (UserID.random(), DeviceID.random())
        let first = try await TestServer.start()
        let (writer, _) = try await WireClient.open(first, user: user, device: phone)
        try await writer.append(
            from: 1, Envelope.setUp("com.example.mail") + (1...200).map { .post("n\($0)", app: "com.example.mail") })
        _ = try await writer.appended()
        try await Self.stored(first.conninfo)
        let (reader, _) = try await WireClient.open(first, user: user, device: .random())
        let cursor = try await Self.checkpoint(reader).cursor
        try await first.server.stop()
        try await onThread {
            let database = try first.database()
            defer { database.close() }
            try database.execute("UPDATE read_1.users SET digests = NULL, digests_version = NULL")
        }
        for (round, loads) in [LoadCounts(loaded: 1, lookedUp: 0), LoadCounts(loaded: 0, lookedUp: 1)].enumerated() {
            let server = try await TestServer.start(conninfo: first.conninfo)
            let (client, _) = try await WireClient.open(server, user: user, device: phone, cursor: cursor)
            #expect(try await !Self.checkpoint(client).hasRows, "round \(round)")
            #expect(server.server.loads == loads, "round \(round)")
            try await Self.stored(first.conninfo)
            try await server.server.stop()
        }
    }
}
