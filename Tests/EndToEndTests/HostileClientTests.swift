import FocusCore
import FocusWire
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// Hostile or broken clients leave memory bounded and other clients undisturbed.
@Suite("Hostile clients", .fewAtATime) struct HostileClientTests {
    private let user = UserID.random()

    /// Expects that a new device's appends are acknowledged.
    private func expectHealthy(_ server: TestServer) async throws {
        let (client, _) = try await WireClient.open(server, user: .random())
        try await client.append(from: 1, Envelope.setUp("a") + [.post("n", app: "a")])
        #expect(try await client.appended().throughSequence == DeviceSequence(3))
        await client.close()
    }

    @Test("Q1, Q5: however many renewals a device sends at once, the server goes on, and ends its session")
    func renewals() async throws {
        try await TestServer.with { server in
            let (client, _) = try await WireClient.open(server, user: user)
            let frame = FrameCodec.frame(.renew(token: ""))
            let frames = Array(repeatElement(frame, count: 50_000).joined())
            // Writing fails if the server has cut the connection, which is right.
            try? await client.send(bytes: frames)
            var code = ErrorCode.unauthenticated
            while code == .unauthenticated { code = try await client.error().code }
            #expect(code == .quotaExceeded)
            try await expectHealthy(server)
            await client.close()
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

    @Test("W4: random bytes are answered by an error or cut off, and nothing else happens", arguments: Seeds.fresh())
    func randomBytes(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var limits = SessionLimits()
        // Fewer bytes than a frame's length has, which are rare, are waited behind; a healthy device must be in time on
        // any machine.
        limits.helloMilliseconds = 5_000
        try await TestServer.with(limits: limits) { server in
            for _ in 0..<40 {
                let client = try await WireClient.connect(port: server.port)
                let bytes = (0..<Int.random(in: 1...5_000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                // Writing fails if the server has already cut the connection, which is right.
                try? await client.send(bytes: bytes)
                #expect(await client.isClosed(), "seed \(seed)")
                await client.close()
            }
            // After Hello: frames of random content, which is no message of the protocol.
            for _ in 0..<20 {
                let (client, _) = try await WireClient.open(server, user: user)
                let content = (0..<Int.random(in: 20...5_000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) }
                try? await client.send(bytes: length + content)
                do {
                    _ = try await client.error()
                } catch WireError.closed {
                    // The error may be lost with the connection.
                }
                await client.close()
            }
            try await expectHealthy(server)
            try await awaiting("nothing is held any more, seed \(seed)") { server.server.inboundBytes == 0 }
        }
    }

    @Test("W1, Q7: however long the refusals are that a device brings back, no answer is larger than a frame may be")
    func longRefusals() async throws {
        try await TestServer.with(partitions: 1) { server in
            let (client, _) = try await WireClient.open(server, user: user)
            let refused = Outcome.refused(code: "field_invalid", message: String(repeating: "x", count: 4_096))
            let envelopes = (0..<1_000).map { _ in Envelope.post("n", app: "a") }
            for first in stride(from: 0, to: envelopes.count, by: 200) {
                let offer = Reoffer(
                    incarnation: Incarnation(1), firstSequence: DeviceSequence(Int64(first + 1)),
                    events: envelopes[first..<first + 200].map { Reoffer.Offered(envelope: $0, outcome: refused) },
                    code: [])
                try await client.send(.heal(.reoffer(offer)))
                #expect(try await client.appended().refused.count == 200)
            }
            // They are answered again as the first time, all at once.
            try await client.append(from: 1, envelopes)
            let appended = try await client.appended()
            #expect(appended.refused.count == envelopes.count)
            #expect(FrameCodec.frame(.appended(appended)).count <= SessionLimits().frameBytes)
            await client.close()
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

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

    @Test("A client that sends a byte at a time has no Hello in time, and is cut off")
    func slowSender() async throws {
        var limits = SessionLimits()
        limits.helloMilliseconds = 500
        try await TestServer.with(limits: limits) { server in
            let client = try await WireClient.connect(port: server.port)
            // The announced frame is never completed. On a slow machine the time is over before the last byte.
            for byte in [0, 0, 1, 0, 1, 2, 3] as [UInt8] { try? await client.send(bytes: [byte]) }
            #expect(try await client.error().code == .helloTimeout)
            #expect(await client.isClosed())
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
        }
    }

    @Test("L1, L3: a client that never reads costs at most its queue; the others are not delayed")
    func neverReads() async throws {
        var limits = SessionLimits.patient
        limits.outgoingBytes = 64 * 1024
        // The session must survive for as long as the machine takes to write 9.6 MB.
        limits.stalledMilliseconds = 3_600_000
        limits.heartbeatMilliseconds = 3_600_000
        try await TestServer.with(limits: limits) { server in
            let deaf = try await DeafClient.connect(port: server.port)
            try await deaf.hello(token: TestServer.token(user, .random()))
            let (writer, _) = try await WireClient.open(server, user: user)
            try await writer.append(from: 1, Envelope.setUp("a"))
            var (sequence, last) = (Int64(3), Version.zero)
            let body = String(repeating: "x", count: 8_000)
            for round in 0..<60 {
                let posts = (0..<20).map { Envelope.post("n\(round)-\($0)", app: "a", body: body) }
                try await writer.append(from: sequence, posts)
                sequence += 20
                var answer = try await writer.appended()
                while answer.throughSequence.rawValue < sequence - 1 { answer = try await writer.appended() }
                last = answer.version
            }
            // 9.6 MB of rows were made; the session of the deaf client holds its queue and what the kernel accepted,
            // not more.
            let queued = server.server.queuedBytes
            let most = try #require(queued.max())
            #expect(most > 0 && most <= limits.outgoingBytes + 2 * Subscription.pageBytes)
            // When the client reads again, it gets every row with its newest value, and digests agree.
            var replica = Replica()
            try await deaf.listen()
            while replica.cursor?.version != last || replica.checkpoints == 0 {
                replica.apply(try await deaf.next())
            }
            #expect(replica.rows.keys.filter { $0.collection == .notifications }.count == 1_200)
            #expect(replica.mismatches == [])
            await writer.close()
            await deaf.close()
        }
    }

    @Test("A client that asks without reading the answers is not read any more")
    func asksWithoutReading() async throws {
        try await TestServer.with { server in
            let deaf = try await DeafClient.connect(port: server.port)
            try await deaf.hello(token: TestServer.token(user, .random()))
            // Unknown messages, because each answer is many times as long as the question.
            let questions = Array(repeatElement([0, 0, 0, 3, 0x9A, 0x06, 0x00] as [UInt8], count: 10_000).joined())
            // Twice what Linux lets one connection hold in its buffers. Once they are full, the server cannot write its
            // answers and must not read on: no further write succeeds while other clients are served.
            let count = 2 * Self.mostBytesInSockets() / questions.count
            let taken = NIOLockedValueBox(0)
            for _ in 0..<count { deaf.write(questions) { taken.withLockedValue { $0 += 1 } } }
            var (before, unchanged) = (-1, 0)
            while unchanged < 3 {
                try await expectHealthy(server)
                let now = taken.withLockedValue { $0 }
                unchanged = now == before ? unchanged + 1 : 0
                before = now
            }
            #expect(before < count, "the server read everything, and holds the answers")
            await deaf.close()
        }
    }

    /// What the sending and receiving sides of a connection may buffer (tcp(7)): 36 MB, unless configured otherwise.
    private static func mostBytesInSockets() -> Int {
        ["tcp_rmem", "tcp_wmem"].reduce(0) { sum, name in
            let limits = (try? String(contentsOfFile: "/proc/sys/net/ipv4/\(name)", encoding: .utf8)) ?? ""
            return sum + (limits.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 32 << 20)
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

    @Test("Connections without a token are capped; one more is sent away as overloaded")
    func unauthenticatedCap() async throws {
        try await TestServer.with(configure: { $0.connections.unauthenticated = 2 }) { server in
            let first = try await WireClient.connect(port: server.port)
            let second = try await WireClient.connect(port: server.port)
            // Each client has sent a byte, so the order of their arrival is settled.
            try await first.send(bytes: [0])
            try await second.send(bytes: [0])
            var sentAway = 0
            for _ in 0..<3 {
                let more = try await WireClient.connect(port: server.port)
                let code: ErrorCode? = try? await more.first(within: 60) {
                    if case .goAway(let goAway) = $0 { goAway.code } else { nil }
                }
                if code == .overloaded { sentAway += 1 }
                await more.close()
            }
            #expect(sentAway == 3)
            await first.close()
            await second.close()
        }
    }
}
