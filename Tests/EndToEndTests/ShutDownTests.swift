import FocusCore
import Support
import Testing

@testable import SyncServer

/// What the conformance suite cannot see of a server that shuts down.
@Suite("Shut-down", .fewAtATime) struct ShutDownTests {
    private let user = UserID.random()

    @Test("G1: at shut-down every device is told to go away and disconnected")
    func everyDevice() async throws {
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
