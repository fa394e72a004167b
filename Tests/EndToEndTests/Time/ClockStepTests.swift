import EventStore
import FocusCore
import FocusWire
import NIOConcurrencyHelpers
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// A wall clock may be set at any time, also backwards and while frames are staged.
@Suite("Clock steps", .fewAtATime) struct ClockStepTests {
    private let user = UserID.random()

    @Test("P1, P6: a wall clock that steps back and forth changes nothing that a device sees", arguments: [20, 1_000])
    func steps(milliseconds: Int64) async throws {
        let clock = SteppingClock(by: milliseconds * 1_000, seed: UInt64(milliseconds))
        let server = try await TestServer.start(partitions: 1, clock: clock.clock)
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        // Sent in one piece: the lane finds many frames waiting and reads its clock several times for one statement.
        let frames = (0..<200).map { frame in
            (0..<3).map { Envelope.post("n\(frame * 3 + $0)", app: "a") }
        }
        var bytes: [UInt8] = []
        for (index, envelopes) in frames.enumerated() {
            let first = DeviceSequence(Int64(index) * 3 + 3)
            bytes += FrameCodec.frame(.append(AppendRequest(firstSequence: first, envelopes: envelopes)))
        }
        try await client.send(bytes: bytes)
        var through = DeviceSequence(2)
        while through < DeviceSequence(602) {
            let answer: ServerMessage = try await client.first { message in
                switch message {
                case .appended, .error, .goAway: message
                default: nil
                }
            }
            guard case .appended(let appended) = answer else {
                Issue.record("\(answer)")
                break
            }
            #expect(appended.refused == [] && appended.throughSequence == through.advanced(by: 3))
            through = appended.throughSequence
        }
        let database = try server.database()
        #expect(try database.query(TestStatement.countBackwards).int8(row: 0, column: 0) == 0)
        #expect(try database.query(TestStatement.countEvents).int8(row: 0, column: 0) == 602)
        database.close()
        await client.close()
        try await server.server.stop()
    }

    @Test("a statement's time is 1 to 256 µs past those before it while the clock stands still")
    func standsStill() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        for number in 0..<20 {
            try await client.append(from: Int64(3 + number), [.post("n\(number)", app: "a")])
            _ = try await client.appended()
        }
        let times = try await onThread { [user] in try server.events(of: user).map(\.recordedAt.microseconds) }
        // The events of a statement share a time; each frame of one event came with its own statement.
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }.suffix(20)
        #expect(steps.allSatisfy { (1...ServerClock.greatestStep).contains($0) } && Set(steps).count > 1)
        #expect(times.first == time.wall.microseconds)
        await client.close()
        try await server.server.stop()
    }
}

/// The machine's clock, set back or forward at each reading.
private final class SteppingClock: Sendable {
    private let state: NIOLockedValueBox<SplitMix64>
    private let step: Int64

    init(by microseconds: Int64, seed: UInt64) {
        step = microseconds
        state = NIOLockedValueBox(SplitMix64(seed: seed))
    }

    var clock: ServerClock {
        ServerClock(
            monotonic: ServerClock.system.monotonic,
            wall: {
                let step = self.state.withLockedValue { Int64.random(in: -1...1, using: &$0) * self.step }
                return ServerClock.system.wall().adding(microseconds: step)
            }, tolerance: ServerClock.usualTolerance)
    }
}
