import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// A gap while two servers append: the second one's append makes the first stage everything once more.
@Suite("Gap report", .fewAtATime) struct GapReportTests {
    /// A random user of this partition, of four.
    private func user(in partition: Int32) -> UserID {
        while true {
            let user = UserID.random()
            if Partition.of(user: user, count: 4) == Partition(partition) { return user }
        }
    }

    @Test("P4: a gap is reported once, also when what was staged with it has to be staged again")
    func stagedAgain() async throws {
        // No polls: the server learns of the other one's events only when its own append finds the head moved.
        let server = try await TestServer.start(partitions: 4, clock: ManualTime().clock)
        // Notifications would make the server look at the heads too.
        server.server.faults.set(.notifyLost, true)
        let (one, _) = try await WireClient.open(server, user: user(in: 2))
        let (two, _) = try await WireClient.open(server, user: user(in: 0))
        let (three, _) = try await WireClient.open(server, user: user(in: 0))
        for client in [one, two, three] {
            try await client.untilLive()
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
        }
        let holder = try await onThread {
            let connection = try server.database()
            try connection.execute("BEGIN")
            _ = try connection.query(TestStatement.lockPartition, [.int4(2)])
            return Held(connection)
        }
        // All users share a lane, which now waits for the lock.
        try await one.append(from: 3, [.post("n", app: "a")])
        try await onThread {
            let observer = try server.database()
            defer { observer.close() }
            try eventually("the lane waits") {
                try observer.query(TestStatement.countWaiting).int8(row: 0, column: 0) == 1
            }
        }
        // Both are staged together once the lane goes on; their append finds the head moved.
        try await two.append(from: 3, [.post("n", app: "a")])
        try await three.append(from: 9, [.post("x", app: "a")])
        for client in [two, three] { try await client.flush() }
        let other = user(in: 0)
        try await onThread {
            let writer = try server.database()
            defer { writer.close() }
            let head = try LogReader().heads(of: [Partition(0)], on: writer)[0]
            let event = LoggedEvent(
                partition: Partition(0), offset: head.nextOffset, user: other, version: Version(1), device: .random(),
                incarnation: Incarnation(1), sequence: DeviceSequence(1), id: .random(), type: "badge.cleared",
                app: AppID("a"), occurredAt: head.lastRecordedAt, recordedAt: head.lastRecordedAt, schemaVersion: 1,
                payload: [])
            _ = try LogWriter().append([PartitionAppend(behind: head, events: [event])], on: writer)
            try holder.release()
        }
        #expect(try await one.appended().throughSequence == DeviceSequence(3))
        #expect(try await two.appended().throughSequence == DeviceSequence(3))
        // Frames after the gap are dropped until the expected sequence arrives.
        try await three.append(from: 3, [.post("m", app: "a")])
        let answers = try await three.through { if case .appended = $0 { true } else { false } }
        let errors = answers.compactMap { if case .error(let error) = $0 { error } else { nil } }
        #expect(errors.map(\.code) == [.sequenceGap] && errors.first?.expected == DeviceSequence(3))
        for client in [one, two, three] { await client.close() }
        try await server.server.stop()
    }
}

/// A transaction that holds a lock, to be released on another thread.
// @unchecked: one thread at a time uses the connection.
private final class Held: @unchecked Sendable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func release() throws {
        try connection.execute("COMMIT")
        connection.close()
    }
}
