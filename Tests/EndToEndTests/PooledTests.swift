import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore
@testable import SyncServer

/// Through PgBouncer in transaction mode: nothing may rely on a session.
@Suite("Behind PgBouncer", .fewAtATime) struct PooledTests {
    private func withBouncer(_ body: (Bouncer, String) async throws -> Void) async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let bouncer = try await onThread { try Bouncer(conninfo: conninfo) }
        do {
            try await body(bouncer, conninfo)
        } catch {
            await bouncer.stop()
            throw error
        }
        await bouncer.stop()
    }

    @Test("P1, P2, S1, S2: two servers behind one pooler append, resend, snapshot and go on from a cursor")
    func appendAndSync() async throws {
        try await withBouncer { bouncer, conninfo in
            let user = UserID.random()
            let first = try await TestServer.start(conninfo: conninfo, pool: bouncer.configuration)
            let second = try await TestServer.start(conninfo: conninfo, pool: bouncer.configuration)
            let (phone, _) = try await WireClient.open(first, user: user)
            var envelopes = Envelope.setUp("a") + (0..<40).map { Envelope.post("n\($0)", app: "a") }
            try await phone.append(from: 1, envelopes)
            while try await phone.appended().throughSequence < DeviceSequence(42) {}
            try await phone.append(from: 1, envelopes)
            #expect(try await phone.appended().throughSequence == DeviceSequence(42))
            // A refusal is logged through the pooler too.
            try await phone.append(from: 43, [.post("x", app: "unknown")])
            #expect(try await phone.appended().refused.map(\.code) == ["app_unknown"])
            let (tablet, _) = try await WireClient.open(second, user: user)
            var replica = Replica()
            while replica.checkpoints == 0 { replica.apply(try await tablet.next()) }
            #expect(replica.rows.keys.filter { $0.collection == .notifications }.count == 40)
            #expect(replica.mismatches == [])
            // Events that the other server appends arrive by themselves.
            envelopes = [.post("later", app: "a")]
            try await phone.append(from: 44, envelopes)
            let late = RowKey(.notifications, app: AppID("a"), key: "later")
            while replica.rows[late] == nil { replica.apply(try await tablet.next()) }
            try await onThread {
                let reader = try first.database()
                defer { reader.close() }
                try eventually("the projector caught up") {
                    try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0) == 44
                }
                #expect(try reader.query(TestStatement.gaps).int8(row: 0, column: 0) == 0)
                #expect(try reader.query(TestStatement.countEvents).int8(row: 0, column: 0) == 44)
            }
            await phone.close()
            await tablet.close()
            try await first.server.stop()
            try await second.server.stop()
        }
    }

    @Test("Every statement runs as the server's role, and no session keeps anything of it")
    func role() async throws {
        try await withBouncer { bouncer, conninfo in
            try await onThread {
                let owner = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
                defer { owner.close() }
                _ = try Migrator.migrate(on: owner, partitions: 2)
            }
            try await onThread {
                let statement = Statement(
                    name: "who",
                    sql: """
                        SELECT current_user::text = app_role()::text, current_setting('enable_seqscan'),
                            current_setting('synchronous_commit')
                        """)
                let forbidden = Statement(name: "forbidden", sql: "UPDATE events SET version = version")
                let store = StoreConfiguration(bouncer.configuration)
                for (configuration, commit) in [
                    (store.postgres, "on"), (store.withAsynchronousCommit.postgres, "off"),
                ] {
                    // Twice as many connections as sessions.
                    let connections = try (0..<4).map { _ in try PostgresConnection(configuration) }
                    for connection in connections {
                        let alone = try connection.query(statement)
                        let together = try connection.transaction { try $0.query(statement) }
                        let piped = try connection.pipeline([(statement, []), (statement, [])])
                        #expect(piped.count == 2)
                        for result in [alone, together] + piped {
                            #expect(try result.bool(row: 0, column: 0))
                            #expect(try result.text(row: 0, column: 1) == "off")
                            #expect(try result.text(row: 0, column: 2) == commit)
                        }
                        let error = #expect(throws: PostgresError.self) { try connection.query(forbidden) }
                        #expect(error?.kind == .insufficientPrivilege && connection.isIdle)
                        #expect(throws: PostgresError.self) {
                            try connection.transaction { try $0.query(forbidden) }
                        }
                        #expect(connection.isIdle)
                    }
                    let bare = try PostgresConnection(bouncer.configuration)
                    for _ in 0..<4 {
                        let result = try bare.query(statement)
                        #expect(try !result.bool(row: 0, column: 0))
                        #expect(try result.text(row: 0, column: 1) == "on")
                    }
                    for connection in connections + [bare] { connection.close() }
                }
            }
        }
    }

    @Test("P1, P2: focusd --no-prepared, killed again and again while devices append: every event exactly once")
    func kills() async throws {
        try await withBouncer { bouncer, conninfo in
            let server = try await FocusdProcess(database: bouncer.conninfo, options: ["--no-prepared"])
            let fleet = try await Fleet(server: server, devices: 4, users: 2)
            for round in 0..<3 {
                async let appended: Void = fleet.append(count: 25, round: round)
                await fleet.acknowledged(20, in: round)
                await server.kill()
                try await server.start()
                try await appended
                try await fleet.verify(in: conninfo)
            }
            await fleet.close()
            #expect(await server.terminate())
            await server.remove()
        }
    }

    @Test(
        "P1, P2: the database's sessions end under the pooler in the middle of appends: nothing is lost or doubled"
    )
    func lostSessions() async throws {
        try await withBouncer { bouncer, conninfo in
            let server = try await FocusdProcess(database: bouncer.conninfo, options: ["--no-prepared"])
            let fleet = try await Fleet(server: server, devices: 4, users: 2)
            for round in 0..<3 {
                async let appended: Void = fleet.append(count: 25, round: round)
                await fleet.acknowledged(15, in: round)
                try await onThread {
                    let owner = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
                    defer { owner.close() }
                    _ = try owner.query(TestStatement.endSessions)
                }
                try await appended
                try await fleet.verify(in: conninfo)
            }
            await fleet.close()
            #expect(await server.terminate())
            await server.remove()
        }
    }
}
