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
    let user = UserID.random()

    /// Expects that a new device's appends are acknowledged.
    func expectHealthy(_ server: TestServer) async throws {
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
