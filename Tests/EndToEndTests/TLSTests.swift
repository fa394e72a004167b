import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@testable import SyncServer

/// TLS 1.3 with the operator's certificate; plaintext only on loopback (Schema/rules/protocol.md, first line).
@Suite("TLS", .fewAtATime) struct TLSTests {
    @Test("A device that trusts the operator's certificate appends over TLS; one that does not never gets to Hello")
    func appendOverTLS() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = try await TLSFiles.make(in: directory)
        try await TestServer.with(configure: {
            $0.security = .tls(certificateFile: files.certificate, keyFile: files.key)
        }) { server in
            let device = DeviceID.random()
            let token = try TestServer.token(.random(), device)
            let trusting = try SyncClient(
                configuration: .patient(port: server.port, security: .tls(trustFile: files.certificate), token: token),
                store: DeviceStore(directory: directory + "/trusting"))
            let draft = EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: AppID("a")!)
            #expect(try await trusting.append([draft]).map(\.isAccepted) == [true])
            await trusting.close()
            var configuration = SyncClientConfiguration.patient(
                port: server.port, security: .tls(trustFile: nil), token: token)
            configuration.maximumAttempts = 1
            let doubting = try SyncClient(
                configuration: configuration, store: DeviceStore(directory: directory + "/doubting"))
            await #expect(throws: (any Error).self) { try await doubting.append([draft]) }
            await doubting.close()
        }
    }

    @Test("Plaintext beyond loopback is refused before anything listens")
    func plaintextBeyondLoopback() async throws {
        await #expect(throws: SyncServerError.self) {
            try await TestServer.with(configure: { $0.host = "0.0.0.0" }) { _ in }
        }
    }
}
