import FocusCore
import Logging
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rule E4 for the server's own clock.
@Suite("Wrong clock", .fewAtATime) struct WrongClockTests {
    private let user = UserID.random()

    @Test(
        "E4: a server whose clock is off appends nothing and says so once; it goes on when its clock is right",
        arguments: [86_400, -86_400, 10, -10])
    func appendsNothing(seconds: Int64) async throws {
        let (clock, log) = (ShiftedClock(), KeptLog())
        let server = try await TestServer.start(partitions: 1, clock: clock.clock, log: log)
        let other = try await TestServer.start(conninfo: server.conninfo)
        let (client, _) = try await WireClient.open(server, user: user)
        let end = Timestamp.now.adding(microseconds: 3_600_000_000)
        try await client.append(
            from: 1,
            Envelope.setUp("a") + [
                .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work"))),
                .of(.focusChanged(FocusChanged(focusID: "work", isActive: true, endsAt: end))),
            ])
        #expect(try await client.appended().refused == [])

        clock.shift(seconds: seconds)
        for _ in 0..<3 {
            try await client.append(from: 5, [.post("n", app: "a")])
            let error = try await client.error()
            #expect(error.code == .unavailable && error.code.isRetryable && error.retryAfterMilliseconds > 0)
        }
        // Devices are told the correct time all the same. The token is valid for so long because the server's clock may
        // be a day ahead.
        let (late, welcome) = try await WireClient.open(server, user: user, tokenExpiresIn: 2 * 86_400)
        #expect(abs(welcome.serverTime.microseconds - Timestamp.now.microseconds) < 60_000_000 || abs(seconds) < 60)
        #expect(log.messages(.critical).count == 1, "\(log.messages(.critical))")
        #expect(try logged(server) == 4)
        // Other servers on the log continue.
        let (elsewhere, _) = try await WireClient.open(other, user: user)
        try await elsewhere.append(from: 1, [.post("m", app: "a")])
        #expect(try await elsewhere.appended().refused == [])

        clock.shift(seconds: 0)
        try await client.append(from: 5, [.post("n", app: "a")])
        #expect(try await client.appended().refused == [])
        #expect(log.messages(.notice).count == 1 && log.messages(.critical).count == 1)
        #expect(try logged(server) == 6)
        let database = try server.database()
        #expect(try database.query(TestStatement.countFuture).int8(row: 0, column: 0) == 0)
        database.close()
        for client in [client, late, elsewhere] { await client.close() }
        for server in [server, other] { try await server.server.stop() }
    }

    @Test("P4: after an error about events that may be sent again, those behind them are taken when they have come")
    func waitsForThoseBefore() async throws {
        let clock = ShiftedClock()
        let server = try await TestServer.start(partitions: 1, clock: clock.clock)
        let device = DeviceID.random()
        let (first, _) = try await WireClient.open(server, user: user, device: device)
        let events = Envelope.setUp("a") + [.post("n", app: "b"), .post("m", app: "a")]
        try await first.append(from: 1, Array(events[..<3]))
        #expect(try await first.appended().refused.count == 1)
        await first.close()
        // The answer was lost. The device sends the same events again; they are in the log, and the server does not say
        // so.
        let (client, _) = try await WireClient.open(server, user: user, device: device)
        clock.shift(seconds: 86_400)
        try await client.append(from: 1, Array(events[..<3]))
        #expect(try await client.error().code == .unavailable)
        clock.shift(seconds: 0)
        // An answer to the next event would acknowledge the events before it, as if none of them had been refused.
        try await client.append(from: 4, [events[3]])
        let gap = try await client.first { message -> ProtocolError? in
            switch message {
            case .error(let error): error
            case .appended: ProtocolError(.internal, "It is taken.")
            default: nil
            }
        }
        #expect(gap.code == .sequenceGap && gap.expected == DeviceSequence(1))
        try await client.append(from: 1, events)
        let appended = try await client.appended()
        #expect(appended.throughSequence == DeviceSequence(4) && appended.refused.map(\.event) == [events[2].id])
        await client.close()
        try await server.server.stop()
    }

    private func logged(_ server: TestServer) throws -> Int64 {
        let database = try server.database()
        defer { database.close() }
        return try database.query(TestStatement.countEvents).int8(row: 0, column: 0)
    }
}

/// The machine's clocks, with a wall clock that is off by a chosen amount.
private final class ShiftedClock: Sendable {
    private let microseconds = NIOLockedValueBox<Int64>(0)

    func shift(seconds: Int64) { microseconds.withLockedValue { $0 = seconds * 1_000_000 } }

    var clock: ServerClock {
        ServerClock(
            monotonic: ServerClock.system.monotonic,
            wall: { ServerClock.system.wall().adding(microseconds: self.microseconds.withLockedValue { $0 }) },
            tolerance: ServerClock.usualTolerance)
    }
}
