import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// The read model lags behind the log and is never wrong.
@Suite("Read model behind the server", .fewAtATime) struct ReadModelTests {
    private let user = UserID.random()

    @Test("A checkpoint past the head, which another server moved between two questions, ends no server")
    func checkpointPastHead() async throws {
        try await TestServer.with { server in
            let owner = try server.database()
            try owner.execute("UPDATE read_1.checkpoints SET log_offset = 4")
            owner.close()
            let other = try await TestServer.start(conninfo: server.conninfo)
            let (phone, _) = try await WireClient.open(other, user: user)
            try await phone.append(from: 1, Envelope.setUp("a"))
            #expect(try await phone.appended().throughSequence == DeviceSequence(2))
            await phone.close()
            try await other.server.stop()
        }
    }

    @Test("With the projector stopped under load, reads stay right; when it goes on, it catches up to the head")
    func stoppedProjector() async throws {
        try await TestServer.with { server in
            let holder = try server.database()
            try holder.execute("BEGIN")
            _ = try holder.query(TestStatement.lockCheckpoints)
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp("a"))
            for batch in 0..<30 {
                try await phone.append(from: Int64(3 + batch * 10), (0..<10).map { .post("n\(batch)-\($0)", app: "a") })
            }
            while try await phone.appended().throughSequence < DeviceSequence(302) {}
            // A server with nothing in memory reads the rows, of which there are none, and folds the events after them.
            let other = try await TestServer.start(conninfo: server.conninfo)
            let (tablet, _) = try await WireClient.open(other, user: user)
            var replica = Replica()
            while replica.checkpoints == 0 { replica.apply(try await tablet.next()) }
            #expect(replica.rows.keys.filter { $0.collection == .notifications }.count == 300)
            #expect(replica.mismatches == [])
            let reader = try server.database()
            #expect(try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0) == 0)
            try holder.execute("ROLLBACK")
            holder.close()
            reader.close()
            try await onThread {
                let reader = try server.database()
                defer { reader.close() }
                try eventually("the projector caught up") {
                    try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0) == 302
                }
            }
            await tablet.close()
            await phone.close()
            try await other.server.stop()
        }
    }

    @Test("A user whose fold throws is quarantined, and disturbs nobody in the same partition")
    func quarantine() async throws {
        try await TestServer.with(partitions: 1) { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp("a"))
            _ = try await phone.appended()
            await phone.close()
            let broken = UserID.random()
            let (other, _) = try await WireClient.open(server, user: broken)
            try await other.append(from: 1, Envelope.setUp("a"))
            _ = try await other.appended()
            await other.close()
            try await server.server.stop()
            // A gap in the stream, as only a damaged database has.
            let database = try server.database()
            try database.execute(TestStatement.damage(broken))
            database.close()
            let again = try await TestServer.start(conninfo: server.conninfo)
            let refused = try await WireClient.connect(port: again.port)
            try await refused.hello(token: TestServer.token(broken, .random()))
            let error = try await refused.error()
            #expect(error.code == .userQuarantined && error.code.isRetryable)
            let (healthy, _) = try await WireClient.open(again, user: user)
            var replica = Replica()
            while replica.checkpoints == 0 { replica.apply(try await healthy.next()) }
            #expect(replica.rows[RowKey(.apps, app: AppID("a"))] != nil)
            #expect(replica.mismatches == [])
            await healthy.close()
            try await again.server.stop()
        }
    }

    @Test("Two servers on one log: appends of both interleave, offsets stay dense, and every device gets all of it")
    func twoServers() async throws {
        try await TestServer.with(partitions: 2) { first in
            let second = try await TestServer.start(conninfo: first.conninfo)
            let users = (0..<4).map { _ in UserID.random() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in users {
                    for (index, server) in [first, second].enumerated() {
                        group.addTask {
                            let (client, _) = try await WireClient.open(server, user: user)
                            let app = "app\(index)"
                            try await client.append(from: 1, Envelope.setUp(app))
                            for batch in 0..<20 {
                                try await client.append(
                                    from: Int64(3 + batch * 3), (0..<3).map { .post("n\(batch)-\($0)", app: app) })
                            }
                            while try await client.appended().throughSequence < DeviceSequence(62) {}
                            await client.close()
                        }
                    }
                }
                try await group.waitForAll()
            }
            for user in users {
                for server in [first, second] {
                    let (client, _) = try await WireClient.open(server, user: user)
                    var replica = Replica()
                    while replica.cursor?.version != Version(126) || replica.checkpoints == 0 {
                        replica.apply(try await client.next())
                    }
                    #expect(replica.rows.keys.filter { $0.collection == .notifications }.count == 120)
                    #expect(replica.mismatches == [])
                    await client.close()
                }
            }
            let database = try first.database()
            let gaps = try database.query(TestStatement.gaps)
            #expect(try gaps.int8(row: 0, column: 0) == 0)
            database.close()
            try await second.server.stop()
        }
    }
}
