import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A database whose disk is full: a small file system of its own, which only root can make.
@Suite("Full disk", .fewAtATime, .enabled(if: geteuid() == 0)) struct FullDiskTests {
    private let user = UserID.random()

    @Test("G2: on a full disk appends are answered `unavailable`, and taken when there is room again")
    func full() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let disk = place + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        // Root of a container may not mount.
        guard mount("tmpfs", disk, "tmpfs", 0, "size=64m") == 0 else { return }
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let name = "full_\(getpid())"
        try await onThread { try makeDatabase(name, on: disk) }
        let server = try await TestServer.start(
            partitions: 1, conninfo: TestCluster.shared.conninfo(database: name))
        let (phone, _) = try await WireClient.open(server, user: user)
        try await phone.append(from: 1, Envelope.setUp("a"))
        _ = try await phone.appended()

        let ballast = disk + "/ballast"
        try await onThread { fill(ballast) }
        var (sequence, refused) = (Int64(3), false)
        let body = String(repeating: "x", count: 8_000)
        while !refused {
            let posts = (0..<20).map { Envelope.post("\(sequence)-\($0)", app: "a", body: body) }
            (sequence, refused) = try await append(posts, at: sequence, phone)
        }
        // Everybody else's appends are refused in the same way, and sessions go on.
        let (tablet, _) = try await WireClient.open(server, user: user)
        try await tablet.untilLive()
        try FileManager.default.removeItem(atPath: ballast)
        let last = sequence
        while sequence == last {
            (sequence, _) = try await append([.post("last", app: "a", body: body)], at: sequence, phone)
        }
        let count = try await onThread {
            try server.database().query(TestStatement.countEvents).int8(row: 0, column: 0)
        }
        #expect(count == sequence - 1)
        for client in [phone, tablet] { await client.close() }
        try await server.server.stop()
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: TestCluster.shared.conninfo()))
            defer { connection.close() }
            try connection.execute("DROP DATABASE \(name) WITH (FORCE)")
            try connection.execute("DROP TABLESPACE \(name)")
        }
    }

    /// - Returns: the next sequence, and whether the events were not taken.
    private func append(
        _ envelopes: [Envelope], at sequence: Int64, _ phone: WireClient
    ) async throws -> (Int64, Bool) {
        try await phone.append(from: sequence, envelopes)
        return try await phone.first {
            switch $0 {
            case .appended(let appended): (appended.throughSequence.rawValue + 1, false)
            case .error(let error):
                {
                    #expect(error.code == .unavailable && error.retryAfterMilliseconds > 0)
                    return (sequence, true)
                }()
            default: nil
            }
        }
    }

    /// A database of the shared cluster whose tables lie on the disk; its journal lies elsewhere.
    private func makeDatabase(_ name: String, on disk: String) throws {
        let files = TestCluster.shared.cluster.dataDirectory + "/postgres"
        let owner = try FileManager.default.attributesOfItem(atPath: files)[.ownerAccountID] as? Int ?? 0
        chown(disk, uid_t(owner), gid_t(owner))
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: TestCluster.shared.conninfo()))
        defer { connection.close() }
        try connection.execute("CREATE TABLESPACE \(name) LOCATION '\(disk)'")
        try connection.execute(
            "CREATE DATABASE \(name) TEMPLATE template0 STRATEGY file_copy TABLESPACE \(name)")
    }

    /// Writes a file that takes all the room that there is.
    private func fill(_ path: String) {
        let file = creat(path, 0o644)
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(file, block, block.count) > 0 {}
        close(file)
    }
}
