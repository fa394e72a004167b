import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

/// The client without a server; `EndToEndTests` has the tests with one.
@Suite("SyncClient")
struct SyncClientTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// A client that cannot connect: nothing listens on port 1, and only root could.
    private func makeClient(
        server: ServerAddress = ServerAddress(host: "127.0.0.1", port: 1), security: ConnectionSecurity = .plaintext,
        _ adjust: (inout SyncClientConfiguration) -> Void = { _ in }
    ) throws -> SyncClient {
        let id = Fixture.log.description
        let claims = Data(#"{"sub":"\#(id)","device":"\#(id)","scope":"system"}"#.utf8).base64EncodedString()
        var configuration = SyncClientConfiguration(
            server: server, security: security, token: "e30.\(claims.replacingOccurrences(of: "=", with: "")).c2ln")
        configuration.maximumAttempts = 2
        configuration.backoff = ReconnectBackoff(ceiling: 1...2)
        adjust(&configuration)
        return try SyncClient(configuration: configuration, store: DeviceStore(directory: directory.path))
    }

    @Test("Without a server an append fails after the attempts allowed, and the event stays queued; the client says so")
    func unreachable() async throws {
        let stops = Recorder<SyncClientError>()
        let client = try makeClient {
            $0.onUpdate = { if case .stopped(let error) = $0 { stops.add(error) } }
        }
        let error = await #expect(throws: SyncClientError.self) { try await client.append([Fixture.draft()]) }
        guard case .unreachable(attempts: 2, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try client.store.queued().count == 1)
        #expect(stops.values == [error])
        // The next call tries to connect again.
        await #expect(throws: SyncClientError.self) { try await client.synchronize() }
        await client.close()
    }

    @Test("A client whose store was erased when a person signed out keeps nothing of theirs")
    func signedOut() async throws {
        let client = try makeClient { $0.maximumAttempts = nil }
        try client.store.erase()
        await #expect(throws: DeviceStoreError.erased) { try await client.append(Fixture.draft()) }
        #expect(try client.store.owner == nil)
        #expect(try !client.store.hasQueued)
        await client.close()
    }

    @Test("Whoever is cancelled while they wait for outcomes is told that, and not that the client was closed")
    func cancelled() async throws {
        let client = try makeClient { $0.maximumAttempts = nil }
        let submission = try await client.submit([Fixture.draft()])
        let waiting = Task { try await submission.outcomes() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await client.close()
    }

    @Test("It tries without end unless it is told how often")
    func patience() {
        #expect(SyncClientConfiguration(security: .plaintext, token: "").maximumAttempts == nil)
    }

    @Test("A call that waits ends with its time")
    func timeout() async throws {
        let client = try makeClient {
            $0.maximumAttempts = nil
            $0.timeout = .milliseconds(50)
        }
        let error = await #expect(throws: SyncClientError.self) { try await client.synchronize() }
        guard case .timedOut = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await client.close()
    }

    @Test("Plaintext never leaves the machine")
    func plaintext() async throws {
        let client = try makeClient(server: ServerAddress(host: "192.0.2.1", port: 7464))
        await #expect(throws: SyncClientError.plaintextBeyondLoopback("192.0.2.1")) { try await client.synchronize() }
        await client.close()
    }

    @Test("A closed client says so, and what waited fails")
    func closed() async throws {
        let client = try makeClient { $0.maximumAttempts = nil }
        let submission = try await client.submit([Fixture.draft()])
        await client.close()
        await #expect(throws: SyncClientError.closed) { try await submission.outcomes() }
        await #expect(throws: SyncClientError.closed) { try await client.append([Fixture.draft()]) }
        await #expect(throws: SyncClientError.closed) { try await client.synchronize() }
        await #expect(throws: SyncClientError.closed) { try await client.submitQueued().outcomes() }
        #expect(try client.store.queued().count == 1)
    }

    @Test("A store of another user, device or scope is not touched")
    func otherOwner() throws {
        let store = try DeviceStore(directory: directory.path)
        try store.claim(Fixture.owner(.app(try #require(AppID("com.example.chat")))))
        try store.close()
        #expect(throws: DeviceStoreError.self) { try makeClient() }
    }
}
