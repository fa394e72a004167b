import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import PostgresClient
import Support
import Testing
import Tokens

@testable import SyncServer

/// What a server does whose listener closes.
@Suite struct ListenerTests {
    private let log = KeptLog()

    /// A server without a database: it accepts connections, and serves nobody.
    private func makeServer() throws -> SyncServer {
        let kept = log
        return try SyncServer(
            configuration: SyncServerConfiguration(host: "127.0.0.1", port: 0, security: .plaintext),
            store: StoreConfiguration(PostgresConfiguration(conninfo: "host=127.0.0.1 port=1")),
            log: LogIdentity(
                log: LogID(UUID()), partitions: 2, hash: EventStore.partitionHash,
                format: EventStore.incarnationFormat),
            tokens: TokenVerifier(.secret([UInt8](repeating: 7, count: 32))),
            logger: Logger(label: "test") { _ in kept })
    }

    private func complaints() -> [String] { log.messages(.error).filter { $0.contains("listener") } }

    @Test("G1: a server whose listener closes by itself says so, and sends everybody away when it stops")
    func closedByItself() async throws {
        let server = try makeServer()
        let device = try RawConnection(port: try await server.start().port)
        try await awaiting("the device is there") { server.connectionCount == 1 }
        #expect(!server.health.hasLostListener)
        try await server.listener.withLockedValue { $0 }?.close()
        try await awaiting("the server knows") { server.health.hasLostListener }
        #expect(complaints() == ["the listener closed by itself, and nobody can connect: restart the server"])
        try await server.stop()
        #expect(server.connectionCount == 0 && !device.rest().isEmpty, "the device is told")
    }

    @Test("G1: a server that stops does not take its listener for lost")
    func stops() async throws {
        let server = try makeServer()
        _ = try await server.start()
        try await server.stop()
        #expect(!server.health.hasLostListener && complaints() == [])
    }
}
