import FocusCore
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// When changes are written to the read model, by a clock that the test moves.
@Suite("Time of projections", .fewAtATime) struct ProjectionTimeTests {
    private let time = ManualTime()

    @Test(
        "What gathered is written when appends have paused for 100 ms, long before its time; not while they go on"
    )
    func pause() async throws {
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let user = UserID.random()
        let (phone, _) = try await WireClient.open(server, user: user)
        // Nothing has been written for long, so the first batch is written at once.
        try await phone.append(from: 1, Envelope.setUp("a"))
        _ = try await phone.appended()
        try await checkpoint(of: server, is: 2)
        // Appends with shorter pauses gather: here for 7 × 90 ms of the 800.
        for number in 0..<7 {
            time.advance(milliseconds: 90)
            // The new connection gives the lane a turn at this time, in which it could write.
            await (try WireClient.open(server, user: user)).0.close()
            try await phone.append(from: Int64(3 + number), [.post("n\(number)", app: "a")])
            _ = try await phone.appended()
        }
        try await checkpoint(of: server, is: 2)
        time.advance(milliseconds: 100)
        try await checkpoint(of: server, is: 9)
        await phone.close()
        try await server.server.stop()
    }

    private func checkpoint(of server: TestServer, is offset: Int64) async throws {
        try await onThread {
            let reader = try server.database()
            defer { reader.close() }
            try eventually("the checkpoint is \(offset)") {
                try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0) == offset
            }
        }
    }
}
