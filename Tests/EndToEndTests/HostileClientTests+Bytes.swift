import FocusCore
import FocusWire
import Foundation
import Support
import Testing

@testable import SyncServer

/// Bytes that were sent and are not answered, or whose answer is not read (rules P9 and Q7).
extension HostileClientTests {
    /// A device that sends as many appends as it may and reads no answer, and the bytes that each append is charged.
    private func deafAppender(_ server: TestServer) async throws -> (DeafClient, charge: Int) {
        let deaf = try await DeafClient.connect(port: server.port)
        try await deaf.hello(token: TestServer.token(user, .random()))
        // Each is refused, as the app is not registered, and in the frames behind the first answered once more.
        let envelopes = (0..<1_000).map { _ in Envelope.post("n", app: "a") }
        let frame = FrameCodec.frame(.append(AppendRequest(firstSequence: DeviceSequence(1), envelopes: envelopes)))
        for _ in 0..<SessionLimits().unacknowledgedAppends { deaf.write(frame) {} }
        return (deaf, frame.count + envelopes.count * AppendJudge.refusalBytes)
    }

    @Test("Q7: answers that a device does not read are held from its user's part of what waits, until they have left")
    func unreadAnswers() async throws {
        var limits = SessionLimits.patient
        limits.stalledMilliseconds = 3_600_000
        limits.heartbeatMilliseconds = 3_600_000
        let budget = 40_000_000
        try await TestServer.with(partitions: 1, limits: limits, configure: { $0.inboundBytes = budget }) { server in
            let (deaf, charge) = try await deafAppender(server)
            // Past its share nothing is read until half of that has left, and no more leaves once the socket is full.
            let held = try await heldBytes(server, least: budget / 16)
            #expect(held <= budget / 8 + 6 * charge, "of \(SessionLimits().unacknowledgedAppends * charge)")
            try await expectHealthy(server)
            await deaf.close()
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

    @Test("L2, Q7: a device that reads none of its answers is sent away, and holds nothing any more")
    func unreadAnswersEnd() async throws {
        var limits = SessionLimits.patient
        limits.stalledMilliseconds = 1_000
        try await TestServer.with(partitions: 1, limits: limits, configure: { $0.inboundBytes = 40_000_000 }) { server in
            let (deaf, _) = try await deafAppender(server)
            try await awaiting("its answers wait") { server.server.inboundBytes > 2_000_000 }
            try await awaiting("it is sent away") {
                server.server.connectionCount == 0 && server.server.inboundBytes == 0
            }
            await deaf.close()
        }
    }

    @Test("P9: appends beyond the limit wait in the socket, and are all acknowledged in the end")
    func manyUnacknowledged() async throws {
        var limits = SessionLimits.patient
        limits.unacknowledgedAppends = 4
        try await TestServer.with(partitions: 1, limits: limits) { server in
            let (client, _) = try await WireClient.open(server, user: user)
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            let database = try await onThread { try HeldDatabase(server.database()) }
            try await onThread { try database.hold() }
            let frames = Self.largeAppends(40)
            for frame in frames { client.write(bytes: frame) }
            client.write(bytes: FrameCodec.frame(ClientMessage.ping(1)))
            let held = try await heldBytes(server, least: 4 * frames[0].count - 16)
            #expect(held <= 4 * frames[0].count + Self.mostBytesPerTurn, "of \(frames.count * frames[0].count)")
            try await onThread { try database.release() }
            // The ping is behind the appends, so it is read when all but a few of them are acknowledged.
            let before = try await client.through { $0 == .pong(1) }
            let acknowledged = before.count { if case .appended = $0 { true } else { false } }
            let readAhead = Self.mostBytesPerTurn / frames[0].count + 1
            #expect(acknowledged >= frames.count - 4 - readAhead)
            for _ in acknowledged..<frames.count { _ = try await client.appended() }
            await client.close()
        }
    }

    /// Appends of 10 events and more than 64 KiB, behind `Envelope.setUp`.
    private static func largeAppends(_ count: Int) -> [[UInt8]] {
        let body = String(repeating: "x", count: 8_000)
        return (0..<count).map { number in
            let posts = (0..<10).map { Envelope.post("\($0)", app: "a", body: body) }
            let first = DeviceSequence(Int64(3 + number * 10))
            return FrameCodec.frame(.append(AppendRequest(firstSequence: first, envelopes: posts)))
        }
    }

    /// What NIO reads from a socket in one turn of its loop, which goes on when reading is stopped meanwhile: four
    /// times 64 KiB.
    private static let mostBytesPerTurn = 4 << 16

    /// The bytes of appends that a server holds when it reads no more, although there is more to read.
    private func heldBytes(_ server: TestServer, least: Int) async throws -> Int {
        try await onThread {
            var (last, looks) = (0, 0)
            try eventually("appends are held, and no more are read") {
                let now = server.server.inboundBytes
                looks = now == last && now >= least ? looks + 1 : 0
                last = now
                return looks == 100
            }
            return last
        }
    }

    @Test("The global budget stops reading from everybody who sends, and lets all go on in the end")
    func globalBudget() async throws {
        let budget = 20_000
        try await TestServer.with(partitions: 1, configure: { $0.inboundBytes = budget }) { server in
            var clients: [WireClient] = []
            for _ in 0..<8 {
                let (client, _) = try await WireClient.open(server, user: .random())
                try await client.append(from: 1, Envelope.setUp("a"))
                _ = try await client.appended()
                clients.append(client)
            }
            let database = try await onThread { try HeldDatabase(server.database()) }
            try await onThread { try database.hold() }
            // Without the budget, each session's own limit would let all of it in.
            let frames = Self.largeAppends(10)
            #expect(frames.count < SessionLimits().unacknowledgedAppends)
            for client in clients { for frame in frames { client.write(bytes: frame) } }
            let held = try await heldBytes(server, least: budget)
            let all = clients.count * frames.count * frames[0].count
            #expect(held <= budget + clients.count * Self.mostBytesPerTurn, "of \(all)")
            try await onThread { try database.release() }
            for client in clients {
                while try await client.appended().throughSequence < DeviceSequence(102) {}
                await client.close()
            }
            // The server releases a session's bytes on its own threads, after the client is gone.
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

    @Test("Q7: while the frames of a user wait, their devices are read from no further, and everybody else is")
    func shareOfUser() async throws {
        let budget = 400_000
        try await TestServer.with(partitions: 1, configure: { $0.inboundBytes = budget }) { server in
            var clients: [WireClient] = []
            for owner in [user, user, user, .random()] {
                let (client, _) = try await WireClient.open(server, user: owner)
                clients.append(client)
            }
            let other = try #require(clients.last)
            let database = try await onThread { try HeldDatabase(server.database()) }
            try await onThread { try database.hold() }
            let frames = Self.largeAppends(10)
            for client in clients.dropLast() { for frame in frames { client.write(bytes: frame) } }
            let share = budget / 8
            let held = try await heldBytes(server, least: share)
            #expect(held <= share + 3 * Self.mostBytesPerTurn, "of \(3 * frames.count * frames[0].count)")
            other.write(bytes: frames[0])
            #expect(try await heldBytes(server, least: held + 1) > held)
            try await onThread { try database.release() }
            for client in clients { await client.close() }
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

    @Test("Q7: a user's share binds those of their devices too that have nothing unanswered yet")
    func shareOfManySessions() async throws {
        let budget = 400_000
        try await TestServer.with(partitions: 1, configure: { $0.inboundBytes = budget }) { server in
            var clients: [WireClient] = []
            for _ in 0..<12 { clients.append(try await WireClient.open(server, user: user).0) }
            try await clients[0].append(from: 1, Envelope.setUp("a"))
            _ = try await clients[0].appended()
            let database = try await onThread { try HeldDatabase(server.database()) }
            try await onThread { try database.hold() }
            let events = (0..<2).map { _ in Envelope.post("n", app: "a", body: String(repeating: "x", count: 10_000)) }
            for (number, client) in clients.enumerated() {
                let first = DeviceSequence(number == 0 ? 3 : 1)
                client.write(bytes: FrameCodec.frame(.append(AppendRequest(firstSequence: first, envelopes: events))))
            }
            let share = budget / 8
            let held = try await heldBytes(server, least: share)
            #expect(held <= share + 25_000, "a frame, with what its answer may take")
            try await onThread { try database.release() }
            for client in clients { _ = try await client.appended() }
            for client in clients { await client.close() }
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

    @Test("Q7: frames that do not come whole take no more than their bound, and their senders are sent away")
    func partialFrames() async throws {
        let bound = 200_000
        try await TestServer.with(configure: { $0.partialFrameBytes = bound }) { server in
            var clients: [WireClient] = []
            for _ in 0..<12 {
                let (client, _) = try await WireClient.open(server, user: .random())
                // A frame of a million bytes begins, and goes no further.
                client.write(bytes: [0, 0x0F, 0, 0] + [UInt8](repeating: 0, count: 50_000))
                clients.append(client)
            }
            try await awaiting("some are sent away") { server.server.connectionCount <= 4 }
            #expect(server.server.partialFrameBytes <= bound)
            try await expectHealthy(server)
            for client in clients { await client.close() }
            try await awaiting("nothing is held any more") { server.server.partialFrameBytes == 0 }
        }
    }
}
