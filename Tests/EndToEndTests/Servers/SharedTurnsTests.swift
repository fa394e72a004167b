import FocusCore
import FocusWire
import NIOCore
import NIOPosix
import Support
import Testing

@testable import SyncServer

/// Connections of one user that take up frames on an event loop.
@Suite("Shared turns", .fewAtATime) struct SharedTurnsTests {
    private let user = UserID.random()

    private func pings(_ count: Int) -> [UInt8] {
        Array(repeatElement(FrameCodec.frame(ClientMessage.ping(7)), count: count).joined())
    }

    @Test("Q1: what all connections of a user take up counts together")
    func together() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            let (tablet, _) = try await WireClient.open(server, user: user)
            let (loop, services, user) = (server.server.group.next(), server.server.services, user)
            // More than either sends.
            let limit = ReadTurns.bytes - 25 * ReadTurns.bytesPerFrame
            try await awaiting("both count within one window") {
                for client in [phone, tablet] { try await client.send(bytes: pings(20)) }
                var least = ReadTurns.bytes
                for _ in 0..<20 {
                    let room = try await loop.submit { services.turns.value(on: loop).room(of: .user(user)) }.get()
                    least = min(least, room)
                }
                for client in [phone, tablet] { try await client.flush() }
                return least <= limit
            }
            for client in [phone, tablet] { await client.close() }
        }
    }

    @Test("Q1: of many connections that are full of frames each is answered all of them")
    func all() async throws {
        try await TestServer.with { server in
            var clients: [WireClient] = []
            for _ in 0..<20 { clients.append(try await WireClient.open(server, user: user).0) }
            for client in clients { client.write(bytes: pings(2_000)) }
            for client in clients {
                let pongs = try await client.flush().count { $0 == .pong(7) }
                #expect(pongs == 2_000)
            }
            for client in clients { await client.close() }
        }
    }
}
