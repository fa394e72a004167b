import FocusCore
import Foundation
import PostgresClient
import Support
import SyncServer
import Testing

/// A database whose host is gone from one moment to the next: no connection is closed, and no packet acknowledged.
@Suite("Vanished database", .fewAtATime) struct VanishedDatabaseTests {
    /// - Parameter isWritten: the append reaches the database, and its answer is what the server waits for; or the host
    ///   is gone before it is sent anything.
    @Test(
        "P1, P2, G2: a host that vanishes is given up within seconds, and what it was sent is acknowledged once",
        arguments: [true, false])
    func isGivenUp(isWritten: Bool) async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct, overTCP: true)
        var pool = PostgresConfiguration(conninfo: proxy.conninfo)
        // Only TCP can notice.
        pool.silenceTimeoutMilliseconds = 600_000
        let server = try await TestServer.start(partitions: 1, conninfo: direct, pool: pool)
        let (client, _) = try await WireClient.open(server, user: .random())
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        let count = {
            try await onThread {
                let database = try server.database()
                defer { database.close() }
                return try database.query(TestStatement.countEvents).int8(row: 0, column: 0)
            }
        }
        if isWritten {
            proxy.silence(from: "append_events")
            try await client.append(from: 3, [.post("n", app: "a")])
            try await awaiting("the append reaches the database") { try await count() == 3 }
            proxy.heal()
            try await proxy.vanish()
        } else {
            try await proxy.vanish()
            try await client.append(from: 3, [.post("n", app: "a")])
        }
        let began = ContinuousClock.now
        #expect(try await client.appended().throughSequence == DeviceSequence(3))
        // Ten seconds are allowed for, and as many for a machine that does other things too.
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(try await count() == 3)
        await client.close()
        try await server.server.stop()
        try await proxy.stop()
    }
}
