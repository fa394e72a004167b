import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// The checkpoint of the read model moves, whoever is behind; and who was passed is found again.
@Suite("Checkpoint", .fewAtATime) struct CheckpointTests {
    /// Appends an event for each of the users, as another server does.
    private static func append(_ users: [UserID], _ versions: inout [UserID: Int64], on connection: PostgresConnection)
        throws
    {
        let partition = Partition(0)
        let head = try #require(try LogReader().heads(of: [partition], on: connection).first)
        let time = max(Timestamp.now, head.lastRecordedAt)
        let events = users.enumerated().map { index, user in
            versions[user, default: 0] += 1
            let version = versions[user, default: 0]
            let body = EventBody.focusConfigured(FocusConfigured(focusID: "f", name: "name \(version)"))
            return LoggedEvent(
                partition: partition, offset: head.nextOffset.advanced(by: index), user: user,
                version: Version(version),
                device: DeviceID(user.uuid), incarnation: Incarnation(1), sequence: DeviceSequence(version),
                id: .random(), type: body.type.rawValue,
                app: nil, occurredAt: time, recordedAt: time, schemaVersion: 1, payload: PayloadCodec.encode(body))
        }
        let outcomes = try LogWriter().append([PartitionAppend(behind: head, events: events)], on: connection)
        #expect(outcomes[partition] != .behind)
    }

    private static func integer(_ sql: String, on connection: PostgresConnection) throws -> Int64 {
        try connection.query(Statement(name: "test_\(sql.hashValue)", sql: sql)).int8(row: 0, column: 0)
    }

    private static let checkpoint = "SELECT log_offset FROM read_1.checkpoints"
    private static let behind = """
        SELECT sum(p.next_offset - c.log_offset)::bigint FROM log_partitions p JOIN read_1.checkpoints c USING (partition)
        """

    @Test("More than a batch of users who change all the time: the checkpoint moves, and nobody starves")
    func underLoad() async throws {
        try await TestServer.with(partitions: 1) { server in
            try await onThread {
                let database = try server.database()
                defer { database.close() }
                let users = (0..<700).map { _ in UserID.random() }
                var versions: [UserID: Int64] = [:]
                try Self.append(users, &versions, on: database)
                var moves: Set<Int64> = []
                var next = 0
                // The head moves on all the time, so a batch of everybody never comes.
                try eventually("the checkpoint is at eight places") {
                    try Self.append((0..<50).map { users[(next + $0) % users.count] }, &versions, on: database)
                    next += 50
                    moves.insert(try Self.integer(Self.checkpoint, on: database))
                    return moves.count == 8
                }
                let shown = "SELECT count(*) FROM read_1.users"
                try eventually("everybody is shown") {
                    try Self.append(Array(users[..<50]), &versions, on: database)
                    return try Self.integer(shown, on: database) == 700
                }
                try eventually("the checkpoint is at the head") { try Self.integer(Self.behind, on: database) == 0 }
            }
        }
    }

    @Test("A quarantined user holds back nobody, also over a restart, and is written when they can be loaded again")
    func quarantined() async throws {
        let (broken, user) = (UserID.random(), UserID.random())
        let server = try await TestServer.start(partitions: 1)
        let conninfo = server.conninfo
        try await onThread {
            let database = try server.database()
            defer { database.close() }
            var versions: [UserID: Int64] = [:]
            try Self.append([broken, user], &versions, on: database)
            try eventually("both are shown") { try Self.integer(Self.behind, on: database) == 0 }
        }
        try await server.server.stop()
        let laggards = "SELECT count(*) FROM read_1.laggards WHERE user_id = '\(broken)' AND log_offset = 2"
        // Two servers, one after the other: what the first one passes is not lost for the second.
        for round in 0..<2 {
            let database = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            if round == 0 { try database.execute(TestStatement.breakDevices(broken)) }
            var versions: [UserID: Int64] = [broken: 1 + Int64(round) * 2, user: 1 + Int64(round) * 3]
            try Self.append([broken, user, user, user, broken], &versions, on: database)
            let other = try await TestServer.start(conninfo: conninfo)
            try await awaiting("the checkpoint is at the head") { try Self.integer(Self.behind, on: database) == 0 }
            #expect(try Self.integer(laggards, on: database) == 1)
            database.close()
            try await other.server.stop()
        }
        let database = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        defer { database.close() }
        // A server that starts now finds nothing past the checkpoint: only the laggard is to be read.
        #expect(try Self.integer(Self.behind, on: database) == 0)
        #expect(try Self.integer("SELECT version FROM read_1.users WHERE user_id = '\(broken)'", on: database) == 1)
        try database.execute(TestStatement.mendDevices(broken))
        let last = try await TestServer.start(conninfo: conninfo)
        try await awaiting("the laggard is written") {
            try Self.integer("SELECT count(*) FROM read_1.laggards", on: database) == 0
        }
        for id in [broken, user] {
            let found = try UserVerifier().verify(id, in: Partition(0), on: database)
            guard case .equal = found.verdict, found.version == Version(id == user ? 7 : 5) else {
                Issue.record("\(found)")
                continue
            }
        }
        try await last.server.stop()
    }
}
