import FocusCore
import FocusWire
import Foundation
import Support
import Testing
import Tokens

@testable import SyncServer

/// Rules W1–W7 and A1 over real TCP.
@Suite("Wire", .fewAtATime) struct WireTests {
    private let user = UserID.random()

    @Test("W1: a length prefix over 64 KiB before Hello is refused at once, also one of 2 GiB; exactly 64 KiB is read")
    func frameLimitBeforeHello() async throws {
        try await TestServer.with { server in
            for length in [UInt32(64 * 1024 + 1), 0x7FFF_FFFF, .max] {
                let client = try await WireClient.connect(port: server.port)
                try await client.send(bytes: withUnsafeBytes(of: length.bigEndian) { Array($0) })
                #expect(try await client.error().code == .frameTooLarge)
                #expect(await client.isClosed())
            }
            let client = try await WireClient.connect(port: server.port)
            let length = UInt32(64 * 1024)
            try await client.send(bytes: withUnsafeBytes(of: length.bigEndian) { Array($0) })
            try await client.send(bytes: Array(repeating: 0xFF, count: Int(length)))
            #expect(try await client.error().code == .malformedFrame)
        }
    }

    @Test("W1: after Hello frames of up to 1 MiB are taken, and not one byte more")
    func frameLimitAfterHello() async throws {
        try await TestServer.with { server in
            let (client, welcome) = try await WireClient.open(server, user: user)
            #expect(welcome.maximumFrameBytes == 1_048_576)
            let envelopes = (0..<5).map { _ in
                Envelope(
                    id: .random(), type: "notification.posted", app: "a", occurredAt: .now, schemaVersion: 1,
                    payload: Array(repeating: 1, count: 200 * 1024))
            }
            try await client.append(from: 1, envelopes)
            #expect(try await client.appended().throughSequence == DeviceSequence(5))
            try await client.send(bytes: withUnsafeBytes(of: UInt32(1_048_577).bigEndian) { Array($0) })
            #expect(try await client.error().code == .frameTooLarge)
            #expect(await client.isClosed())
        }
    }

    @Test("W2: bytes may arrive one at a time")
    func splitBytes() async throws {
        try await TestServer.with { server in
            let client = try await WireClient.connect(port: server.port)
            let hello = ClientMessage.hello(
                Hello(
                    minimumProtocol: 1, maximumProtocol: 1, token: try TestServer.token(user, .random()),
                    deviceClass: .phone, incarnation: Incarnation(1), cursor: nil, collections: []))
            for byte in FrameCodec.frame(hello) { client.write(bytes: [byte]) }
            let answer = try await client.next()
            guard case .welcome = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            await client.close()
        }
    }

    @Test("W2: many frames may arrive in one piece, also with the Hello")
    func joinedBytes() async throws {
        try await TestServer.with { server in
            let client = try await WireClient.connect(port: server.port)
            let hello = ClientMessage.hello(
                Hello(
                    minimumProtocol: 1, maximumProtocol: 1, token: try TestServer.token(user, .random()),
                    deviceClass: .phone, incarnation: Incarnation(1), cursor: nil, collections: []))
            let append = ClientMessage.append(
                AppendRequest(firstSequence: DeviceSequence(1), envelopes: Envelope.setUp("a")))
            try await client.send(
                bytes: FrameCodec.frame(hello) + FrameCodec.frame(append) + FrameCodec.frame(ClientMessage.ping(9)))
            let answer = try await client.next()
            guard case .welcome = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(try await client.appended().throughSequence == DeviceSequence(2))
            await client.close()
        }
    }

    @Test("W3: an unknown message is unknown_message, and the connection is kept")
    func unknownMessage() async throws {
        try await TestServer.with { server in
            let (client, _) = try await WireClient.open(server, user: user)
            // Field 99, length-delimited, empty: a message of a later protocol.
            try await client.send(bytes: [0, 0, 0, 3, 0x9A, 0x06, 0x00])
            #expect(try await client.error().code == .unknownMessage)
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            await client.close()
        }
    }

    @Test("W4: an undecodable frame is malformed_frame, closed")
    func malformedFrame() async throws {
        try await TestServer.with { server in
            let (client, _) = try await WireClient.open(server, user: user)
            try await client.send(bytes: [0, 0, 0, 2, 0x0A, 0xFF])
            #expect(try await client.error().code == .malformedFrame)
            #expect(await client.isClosed())
        }
    }

    @Test("W5: no common protocol is protocol_unsupported with the server's range, closed")
    func protocolUnsupported() async throws {
        try await TestServer.with { server in
            let client = try await WireClient.connect(port: server.port)
            try await client.hello(token: "t", protocols: 3...7)
            let error = try await client.error()
            #expect(error.code == .protocolUnsupported && error.message.contains("1 to 2"))
            #expect(await client.isClosed())
        }
    }

    @Test("W6: without Hello the connection is closed in time")
    func helloTimeout() async throws {
        var limits = SessionLimits()
        limits.helloMilliseconds = 100
        try await TestServer.with(limits: limits) { server in
            let client = try await WireClient.connect(port: server.port)
            #expect(try await client.error().code == .helloTimeout)
            #expect(await client.isClosed())
        }
    }

    @Test("W7: anything before Hello is hello_required, closed")
    func helloRequired() async throws {
        try await TestServer.with { server in
            let client = try await WireClient.connect(port: server.port)
            try await client.append(from: 1, Envelope.setUp("a"))
            #expect(try await client.error().code == .helloRequired)
            #expect(await client.isClosed())
        }
    }

    @Test("A1: bad, expired, wrongly signed and unsigned tokens all get the same answer")
    func badTokens() async throws {
        try await TestServer.with { server in
            let good = try TestServer.token(user, .random())
            let parts = good.split(separator: ".").map(String.init)
            let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().filter { $0 != "=" }
            let other = SigningKey.secret(Array("another secret, another secret!!".utf8))
            let tokens = [
                "", "x", good + "x", "\(none).\(parts[1]).", try TestServer.token(user, .random(), expiresIn: -1),
                try TestServer.token(user, .server), try TestServer.token(user, .random(), key: other),
            ]
            var answers: Set<ProtocolError> = []
            for token in tokens {
                let client = try await WireClient.connect(port: server.port)
                try await client.hello(token: token)
                answers.insert(try await client.error())
                #expect(await client.isClosed())
            }
            #expect(answers.map(\.code) == [.unauthenticated])
        }
    }

    @Test("G1: at shut-down every device is told to go away and disconnected")
    func shutDown() async throws {
        let server = try await TestServer.start()
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        try await server.server.stop()
        let code: ErrorCode = try await client.first { if case .goAway(let goAway) = $0 { goAway.code } else { nil } }
        #expect(code == .shuttingDown)
        #expect(await client.isClosed())
        #expect(server.server.connectionCount == 0)
    }
}
