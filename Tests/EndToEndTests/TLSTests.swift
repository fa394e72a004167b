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

    @Test("A device that is gone without having ended TLS is forgotten at once, as its socket says that nothing more comes")
    func gone() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = try await TLSFiles.make(in: directory)
        var limits = SessionLimits.patient
        // It is not for its silence that it is forgotten.
        limits.helloMilliseconds = 3_600_000
        try await TestServer.with(
            limits: limits,
            configure: { $0.security = .tls(certificateFile: files.certificate, keyFile: files.key) }
        ) { server in
            let device = try ChildProcess(
                "/usr/bin/openssl",
                ["s_client", "-connect", "127.0.0.1:\(server.port)", "-alpn", "focus-sync/1", "-ign_eof"],
                input: "/dev/null", errors: "/dev/null")
            // What it prints of the certificate comes after the handshake.
            try await awaiting("the device has ended its handshake") { device.unreadBytes > 100 }
            #expect(server.server.connectionCount == 1)
            device.signal(SIGKILL)
            try await awaiting("the server has forgotten the device") { server.server.connectionCount == 0 }
        }
    }

    @Test("Q2: behind a trusted proxy its header comes before TLS, and the client that it names has a bound of its own")
    func proxied() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = try await TLSFiles.make(in: directory)
        let range = try #require(AddressRange("127.0.0.0/8"))
        try await TestServer.with(configure: {
            $0.security = .tls(certificateFile: files.certificate, keyFile: files.key)
            $0.connections.perAddress = 1
            $0.connections.trustedProxies = [range]
        }) { server in
            /// Says which version of TLS it speaks for the client 192.0.2.`last`, or what kept it from that.
            func connect(_ last: Int) throws -> ChildProcess {
                let script = """
                    import socket, ssl, sys, time
                    context = ssl.create_default_context(cafile=sys.argv[1])
                    context.set_alpn_protocols(["focus-sync/1"])
                    plain = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
                    header = "0d0a0d0a000d0a515549540a2111000c c00002%02x 7f000001 3039 1d28" % int(sys.argv[3])
                    plain.sendall(bytes.fromhex(header))
                    try:
                        secure = context.wrap_socket(plain, server_hostname="127.0.0.1")
                        print(secure.version(), flush=True)
                        time.sleep(600)
                    except OSError:
                        print("sent away", flush=True)
                    """
                return try ChildProcess(
                    "/usr/bin/env", ["python3", "-c", script, files.certificate, "\(server.port)", "\(last)"])
            }
            var clients: [ChildProcess] = []
            defer { for client in clients { client.signal(SIGKILL) } }
            for (last, expected) in [(1, "TLSv1.3"), (1, "sent away"), (2, "TLSv1.3")] {
                let client = try connect(last)
                clients.append(client)
                let said = await client.firstLine()
                #expect(said == expected, "the client 192.0.2.\(last)")
            }
        }
    }

    @Test("Plaintext beyond loopback is refused before anything listens")
    func plaintextBeyondLoopback() async throws {
        await #expect(throws: SyncServerError.self) {
            try await TestServer.with(configure: { $0.host = "0.0.0.0" }) { _ in }
        }
    }
}
