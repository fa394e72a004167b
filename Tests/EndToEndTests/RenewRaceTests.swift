import FocusCore
import Foundation
import NIOConcurrencyHelpers
import Support
import Testing

@testable import FocusSyncClient

/// New tokens that come while the server judges the one before (rule A2).
@Suite("Renewals that cross", .fewAtATime) struct RenewRaceTests {
    @Test("A2: a refusal of the token in Hello says nothing of a newer one: the client connects with that")
    func newTokenWhileConnecting() async throws {
        let (user, device) = (UserID.random(), DeviceID.random())
        let old = try TestServer.token(user, device, expiresIn: 50)
        let new = try TestServer.token(user, device, expiresIn: 5_000)
        let server = try await ScriptedServer.start()
        let gate = AsyncStream<Void>.makeStream()
        let stops = NIOLockedValueBox<[SyncClientError]>([])
        var configuration = SyncClientConfiguration.patient(port: server.port, token: old)
        configuration.newToken = {
            for await _ in gate.stream { break }
            return new
        }
        configuration.onUpdate = { update in
            if case .stopped(let error) = update { stops.withLockedValue { $0.append(error) } }
        }
        let directory = NSTemporaryDirectory() + "/renewrace-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let client = try SyncClient(configuration: configuration, store: DeviceStore(directory: directory))
        await client.start()
        try await awaiting("the first Hello") { server.tokens.count == 1 }
        let now = Timestamp.now
        let expiry = ServerMessage.tokenExpiry(now.adding(microseconds: 50_000_000), serverTime: now)
        try await server.say(.welcome(ScriptedServer.welcome()), expiry)
        try await server.closeLast()
        try await awaiting("the second Hello, with the same token") { server.tokens.count == 2 }
        gate.continuation.yield()
        try await awaiting("the new token is there") { await client.token == new }
        try await server.say(.error(ProtocolError(.unauthenticated, "the token has expired")))
        try await awaiting("the third Hello, or the end") {
            server.tokens.count == 3 || !stops.withLockedValue { $0.isEmpty }
        }
        #expect(server.tokens == [old, old, new])
        await client.close()
        try await server.stop()
    }
}
