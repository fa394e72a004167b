import FocusCore
import Foundation
import Glibc
import Support
import Testing

@testable import Conformance
@testable import SyncServer

/// Many TLS handshakes at once, beside a device that has a session.
@Suite("Handshake floods", .fewAtATime) struct HandshakeFloodTests {
    private static let knocks = 300
    private static let rounds = 5

    @Test("Q8: a device with a session is answered while most of those who knock still wait for their handshake")
    func sessionIsAnswered() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = try await TLSFiles.make(in: directory)
        try await TestServer.with(configure: {
            $0.security = .tls(certificateFile: files.certificate, keyFile: files.key)
        }) { server in
            let address = ConformanceTarget.Address(host: "127.0.0.1", port: server.port)
            let target = ConformanceTarget(server: address, security: .tls(trustFile: files.certificate)) {
                try TestServer.token($0.user, $0.device, $0.scope)
            }
            let device = try await RawConnection.open(address, target)
            try await device.send(
                .hello(
                    Hello(
                        minimumProtocol: 1, maximumProtocol: 2, token: TestServer.token(.random(), .random()),
                        deviceClass: .phone, incarnation: Incarnation(1), cursor: nil, collections: [])))
            _ = try await device.welcome()
            // The server goes on while this test waits for a processor to count on: one of some rounds is enough.
            var answered: [Int] = []
            while answered.count < Self.rounds, answered.allSatisfy({ $0 >= Self.knocks / 2 }) {
                let flood = try (0..<Self.knocks).map { _ in try KnockingSocket(port: server.port) }
                try await awaiting("all are accepted") { server.server.connectionCount == Self.knocks + 1 }
                for socket in flood { socket.send(KnockingSocket.clientHello) }
                try await device.send(.ping(7))
                let nonce = try await device.first("Pong") { if case .pong(let nonce) = $0 { nonce } else { nil } }
                answered.append(flood.count(where: \.hasAnswer))
                #expect(nonce == 7)
                try await awaiting("everybody is answered") { flood.allSatisfy(\.hasAnswer) }
                for socket in flood { socket.close() }
            }
            #expect(answered.last ?? Self.knocks < Self.knocks / 2, "\(answered) handshakes went before the device")
            #expect(server.server.handshakeCounts == HandshakeCounts(begun: Self.knocks * answered.count + 1))
        }
    }
}

/// A socket that begins a handshake and never ends it.
private final class KnockingSocket: Sendable {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        try #require(result == 0)
    }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Whether something came that is not read yet.
    var hasAnswer: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 1
    }

    func close() { _ = Glibc.close(descriptor) }

    /// A ClientHello of TLS 1.3 (RFC 8446 §4.1.2), with a key share for X25519.
    static let clientHello: [UInt8] = {
        func sized(_ bytes: [UInt8], _ width: Int = 2) -> [UInt8] {
            (0..<width).reversed().map { UInt8(bytes.count >> (8 * $0) & 0xFF) } + bytes
        }
        let share = (1...32).map(UInt8.init)
        let extensions: [[UInt8]] = [
            // Versions: 1.3. Groups: X25519. Signatures: ecdsa_secp256r1_sha256.
            [0, 43] + sized([2, 3, 4]), [0, 10] + sized(sized([0, 29])), [0, 13] + sized(sized([4, 3])),
            [0, 51] + sized(sized([0, 29] + sized(share))),
            [0, 16] + sized(sized(sized(Array("focus-sync/1".utf8), 1))),
        ]
        let random = [UInt8](repeating: 7, count: 32)
        let body: [UInt8] =
            [3, 3] + random + sized(random, 1) + sized([0x13, 0x01]) + [1, 0] + sized(extensions.flatMap(\.self))
        return [22, 3, 1] + sized([1] + sized(body, 3))
    }()
}
