import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Two servers whose devices append to one partition at the same time.
@Suite("Servers that append to the same partition", .fewAtATime) struct ContentionTests {
    private static let devices = 6
    private static let appends = 40

    @Test("P1: each of two servers makes progress: hardly an append comes too late, whatever the other does")
    func bothProgress() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        try await load(conninfo)
    }

    @Test("P1: the same behind a pooler, which gives each transaction a connection")
    func bothProgressPooled() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let bouncer = try await onThread { try Bouncer(conninfo: conninfo) }
        do {
            try await load(conninfo, pool: bouncer.configuration)
        } catch {
            await bouncer.stop()
            throw error
        }
        await bouncer.stop()
    }

    private func load(_ conninfo: String, pool: PostgresConfiguration? = nil) async throws {
        let first = try await TestServer.start(partitions: 1, conninfo: conninfo, pool: pool)
        let second = try await TestServer.start(partitions: 1, conninfo: conninfo, pool: pool)
        let servers = [first, second]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Self.devices * 2 {
                group.addTask {
                    let (client, _) = try await WireClient.open(servers[index % 2], user: .random())
                    try await client.append(from: 1, Envelope.setUp("a"))
                    var last = try await client.appended().throughSequence
                    for number in 0..<Self.appends {
                        try await client.append(from: last.rawValue + 1, [.post("n\(number)", app: "a")])
                        let expected = last.next
                        while last < expected { last = try await client.appended().throughSequence }
                    }
                    await client.close()
                }
            }
            try await group.waitForAll()
        }
        let counts = servers.map(\.server.contention)
        // Without locks nearly every second append comes too late. A miss locks for 5 s: slow machines have more.
        #expect(counts.allSatisfy { $0.late <= Self.devices * Self.appends / 10 }, "\(counts)")
        #expect(counts.contains { $0.locked > 0 }, "\(counts)")
        for server in servers { try await server.server.stop() }
        try await onThread {
            let reader = try first.database()
            defer { reader.close() }
            #expect(try reader.query(TestStatement.gaps).int8(row: 0, column: 0) == 0)
        }
    }
}
