import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

/// The header by which a trusted proxy names its client.
@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    private static func header(_ command: UInt8 = 0x21, _ family: UInt8 = 0x11, _ body: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    private static let client: [UInt8] = [192, 0, 2, 1, 10, 0, 0, 1, 0x30, 0x39, 0x1D, 0x28]

    private struct Reading: Equatable {
        var header: ProxyHeader?
        var rest: Int
    }

    private func read(_ bytes: [UInt8]) throws -> Reading {
        var buffer = ByteBuffer(bytes: bytes)
        let header = try ProxyHeader.read(&buffer)
        return Reading(header: header, rest: buffer.readableBytes)
    }

    @Test("Q2: the client's address is read, over IPv4 and IPv6, and what stands behind the addresses is passed over")
    func addresses() throws {
        let expected = try #require(ClientAddress(text: "192.0.2.1"))
        #expect(
            try read(Self.header(0x21, 0x11, Self.client) + [1, 2])
                == Reading(header: ProxyHeader(address: expected), rest: 2))
        #expect(try read(Self.header(0x21, 0x11, Self.client + [4, 0, 1, 9])).header == ProxyHeader(address: expected))
        let six: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
        let long = try #require(ClientAddress(text: "2001:db8::1"))
        let body = six + Array(repeating: 0, count: 20)
        #expect(try read(Self.header(0x21, 0x21, body)).header == ProxyHeader(address: long))
    }

    @Test("Q2: a proxy's own connection, and one over something else than TCP, name nobody")
    func nobody() throws {
        #expect(try read(Self.header(0x20, 0x00, [])).header == ProxyHeader())
        #expect(try read(Self.header(0x20, 0x11, Self.client)).header == ProxyHeader())
        #expect(try read(Self.header(0x21, 0x31, Array(repeating: 0, count: 216))).header == ProxyHeader())
    }

    @Test("Q2: a header is waited for until it is whole, and one that cannot become one is malformed")
    func pieces() throws {
        let whole = Self.header(0x21, 0x11, Self.client)
        for count in whole.indices {
            #expect(try read(Array(whole.prefix(count))) == Reading(header: nil, rest: count))
        }
        let malformed: [[UInt8]] = [
            [0x0D, 0x0B], Array("PROXY TCP4 1.2".utf8), Self.header(0x11, 0x11, Self.client),
            Self.header(0x22, 0x11, Self.client), Self.header(0x21, 0x11, Array(Self.client.dropLast())),
            Self.header(0x21, 0x21, Self.client), Self.signature + [0x21, 0x11, 0xFF, 0xFF],
        ]
        for bytes in malformed { #expect(throws: ProxyHeader.Malformed.self, "\(bytes)") { try read(bytes) } }
    }

    @Test("Q2: only a trusted proxy's header is taken off, in whatever pieces it comes", arguments: [false, true])
    func handler(isTrusted: Bool) throws {
        let range = try #require(AddressRange(isTrusted ? "10.0.0.0/8" : "172.16.0.0/12"))
        let seen = SeenEvents()
        let channel = EmbeddedChannel(handlers: [ProxyHeaderHandler(trusting: [range]), seen])
        channel.remoteAddress = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        channel.connect(to: try SocketAddress(ipAddress: "10.0.0.1", port: 1), promise: nil)
        let bytes = Self.header(0x21, 0x11, Self.client) + [7, 8]
        for byte in bytes { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
        #expect(seen.bytes == (isTrusted ? [7, 8] : bytes))
        #expect(seen.addresses == (isTrusted ? [ClientAddress(text: "192.0.2.1")] : []))
    }

    @Test("Q2: a connection of a trusted proxy without a header is closed")
    func noHeader() throws {
        let range = try #require(AddressRange("10.0.0.0/8"))
        let channel = EmbeddedChannel(handlers: [ProxyHeaderHandler(trusting: [range]), SeenEvents()])
        channel.remoteAddress = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        channel.connect(to: try SocketAddress(ipAddress: "10.0.0.1", port: 1), promise: nil)
        try channel.writeInbound(ByteBuffer(bytes: [0, 0, 0, 1]))
        #expect(!channel.isActive)
    }
}

/// Keeps what passes the handlers before it.
private final class SeenEvents: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var bytes: [UInt8] = []
    var addresses: [ClientAddress?] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let proxied = event as? ProxiedAddress { addresses.append(proxied.address) }
    }
}
