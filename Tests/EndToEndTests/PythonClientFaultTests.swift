import FocusCore
import FocusWire
import Foundation
import NIOCore
import NIOPosix
import Support
import Synchronization
import Testing

/// The Python client against servers that do what no server should: its commands end all the same, and say why.
@Suite("Python client and servers at fault", .fewAtATime) struct PythonClientFaultTests {
    /// Answers the first bytes of a connection with `first`, and whatever comes later with `later`, after a while; nothing
    /// is said when there is nothing to say.
    private final class Saying: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var next: [UInt8]
        private let later: [UInt8]

        init(first: [UInt8], later: [UInt8]) { (next, self.later) = (first, later) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let channel = context.channel
            let answer = ByteBuffer(bytes: next)
            next = later
            channel.eventLoop.scheduleTask(in: .milliseconds(50)) { channel.writeAndFlush(answer, promise: nil) }
        }
    }

    /// Runs a command with --timeout 4 against such a server, of which only the first connection hears `first`.
    private func run(
        _ command: [String], input: String = "", first: [UInt8], later: [UInt8] = []
    ) async throws -> (exitCode: Int32?, errors: String) {
        let isFirst = Atomic(true)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let first = isFirst.exchange(false, ordering: .relaxed) ? first : later
                    try channel.pipeline.syncOperations.addHandler(Saying(first: first, later: later))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try TestServer.token(.random(), .random(), .system).write(
            toFile: directory + "/token", atomically: true, encoding: .utf8)
        try input.write(toFile: directory + "/input", atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            Checkout.file("Schema/clients/python/focus-client").path,
            command + [
                "--plaintext", "--server", "127.0.0.1:\(port)", "--token-file", directory + "/token", "--state",
                directory + "/state", "--timeout", "4",
            ],
            input: directory + "/input", errors: directory + "/errors")
        _ = await child.rest()
        let exitCode = await child.exitCode()
        try await server.close()
        return (exitCode, try String(contentsOfFile: directory + "/errors", encoding: .utf8))
    }

    @Test(
        "The time ends a command also while pings come, and nothing that it asked for",
        arguments: [["append"], ["sync"], ["reach", "11111111-1111-4111-8111-111111111111", "--app", "a"]],
        [true, false])
    func pingsAlone(command: [String], isWelcomed: Bool) async throws {
        let welcome = Welcome(
            protocolVersion: 2, session: "", log: try #require(LogID(bytes: [UInt8](repeating: 1, count: 16))),
            lastSequence: .zero, maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: 64,
            heartbeatMilliseconds: 25_000, serverTime: Timestamp(microseconds: 0))
        let ping = FrameCodec.frame(ServerMessage.ping(1))
        let (exitCode, errors) = try await run(
            command, input: #"{"type":"badge.cleared","app":"a"}"#,
            first: (isWelcomed ? FrameCodec.frame(ServerMessage.welcome(welcome)) : []) + ping, later: ping)
        #expect(exitCode == 1 && errors.contains("no answer in 4"), "\(errors)")
    }

    @Test("W1: a longer frame than a server may send counts as a broken connection, and the error names its length")
    func longFrame() async throws {
        let (exitCode, errors) = try await run(["sync"], first: [0, 0x10, 0, 1])
        #expect(exitCode == 1 && errors.contains("1048577 bytes"), "\(errors)")
    }

    @Test("W4: bytes that are no message count as a broken connection")
    func noMessage() async throws {
        let (exitCode, errors) = try await run(["sync"], first: [0, 0, 0, 2, 0xFF, 0xFF])
        #expect(exitCode == 1 && errors.contains("no message"), "\(errors)")
        #expect(!errors.contains("Traceback"))
    }
}
