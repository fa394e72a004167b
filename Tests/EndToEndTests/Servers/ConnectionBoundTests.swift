import FocusCore
import Support
import Testing

@testable import SyncServer

/// Bounds on connections, over TCP.
@Suite("Connection bounds", .fewAtATime) struct ConnectionBoundTests {
    private let user = UserID.random()

    /// A connection that is settled: the server has registered it.
    private func connect(_ server: TestServer, behind bytes: [UInt8] = [], count: Int) async throws -> WireClient {
        let client = try await WireClient.connect(port: server.port)
        try await client.send(bytes: bytes)
        try await awaiting("it is accepted") { server.server.connectionCount == count }
        return client
    }

    private func sentAway(_ client: WireClient) async throws -> ErrorCode {
        let code = try await client.goAway()
        #expect(await client.isClosed())
        return code
    }

    @Test("Q2: silent connections of one address keep out those of that address alone, until they are gone")
    func silent() async throws {
        try await TestServer.with(configure: {
            $0.connections.unauthenticatedPerAddress = 2
            $0.connections.limitsLoopback = true
        }) { server in
            let (device, _) = try await WireClient.open(server, user: user)
            let first = try await connect(server, count: 2)
            let second = try await connect(server, count: 3)
            let third = try await WireClient.connect(port: server.port)
            #expect(try await sentAway(third) == .tooMany)
            try await device.append(from: 1, Envelope.setUp("a"))
            #expect(try await device.appended().throughSequence == DeviceSequence(2))
            await first.close()
            try await awaiting("there is room") { server.server.connectionCount == 2 }
            let (other, _) = try await WireClient.open(server, user: user)
            for client in [device, second, other] { await client.close() }
        }
    }

    @Test("Q2: behind a trusted proxy each client has its own bound; a device is served behind the header")
    func proxied() async throws {
        let range = try #require(AddressRange("127.0.0.0/8"))
        try await TestServer.with(configure: {
            $0.connections.perAddress = 1
            $0.connections.trustedProxies = [range]
        }) { server in
            let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
            func header(_ last: UInt8) -> [UInt8] {
                signature + [0x21, 0x11, 0, 12, 192, 0, 2, last, 127, 0, 0, 1, 0x30, 0x39, 0x1D, 0x28]
            }
            let one = try await connect(server, behind: header(1), count: 1)
            try await one.hello(token: TestServer.token(user, .random()))
            _ = try await one.first { if case .welcome = $0 { true } else { nil } }
            let again = try await WireClient.connect(port: server.port)
            try await again.send(bytes: header(1))
            #expect(try await sentAway(again) == .tooMany)
            let two = try await connect(server, behind: header(2), count: 2)
            try await two.hello(token: TestServer.token(user, .random()))
            _ = try await two.first { if case .welcome = $0 { true } else { nil } }
            for client in [one, two] { await client.close() }
        }
    }
}
