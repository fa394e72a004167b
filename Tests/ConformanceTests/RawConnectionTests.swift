import NIOCore
import NIOPosix
import Testing

@testable import Conformance

/// A server that accepts a connection and then does nothing.
@Suite("Conformance: RawConnection") struct RawConnectionTests {
    private func withSilentServer(
        _ security: ConformanceTarget.Security, _ body: (ConformanceTarget) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        var target = ConformanceTarget(
            server: .init(host: "127.0.0.1", port: port), security: security, token: { _ in "" })
        target.patienceSeconds = 0.2
        try await body(target)
        try await server.close()
    }

    @Test("A server that never answers a TLS handshake fails the case")
    func handshake() async throws {
        try await withSilentServer(.tls(trustFile: nil)) { target in
            await #expect(throws: CaseFailure.self) { try await RawConnection.open(target.server, target) }
        }
    }

    @Test("A server that never reads fails the case that sends")
    func send() async throws {
        try await withSilentServer(.plaintext) { target in
            let connection = try await RawConnection.open(target.server, target)
            // More than the sockets between hold.
            let bytes = [UInt8](repeating: 0, count: 64 * 1_048_576)
            await #expect(throws: CaseFailure.self) { try await connection.send(bytes: bytes) }
        }
    }
}
