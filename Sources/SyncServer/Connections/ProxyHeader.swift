import NIOCore

/// The header that a proxy sends in front of what its client sends (HAProxy, “The PROXY protocol”, version 2, §2.2).
struct ProxyHeader: Equatable {
    /// The client's address; nil when the proxy speaks for itself (a health check), or over no IP.
    var address: ClientAddress?

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// The most bytes behind the first 16 of a header. Addresses take 216 at most; what a proxy adds behind them is
    /// passed over.
    private static let longest = 4_096

    struct Malformed: Error {}

    /// Reads a header off the buffer; nil while it is incomplete.
    static func read(_ buffer: inout ByteBuffer) throws(Malformed) -> ProxyHeader? {
        let start = buffer.readableBytesView.prefix(signature.count)
        guard start.elementsEqual(signature.prefix(start.count)) else { throw Malformed() }
        let at = buffer.readerIndex + signature.count
        guard let command: UInt8 = buffer.getInteger(at: at), let family: UInt8 = buffer.getInteger(at: at + 1),
            let length: UInt16 = buffer.getInteger(at: at + 2)
        else { return nil }
        // 0x20: the proxy's own connection. 0x21: its client's.
        guard command == 0x20 || command == 0x21, length <= longest else { throw Malformed() }
        guard buffer.readableBytes >= signature.count + 4 + Int(clamping: length) else { return nil }
        buffer.moveReaderIndex(forwardBy: signature.count + 4)
        guard let body = buffer.readBytes(length: Int(clamping: length)) else { throw Malformed() }
        guard command == 0x21 else { return ProxyHeader() }
        // The client's address, the server's, and the two ports.
        switch family {
        case 0x11 where body.count >= 12: return ProxyHeader(address: ClientAddress(bytes: body.prefix(4)))
        case 0x21 where body.count >= 36: return ProxyHeader(address: ClientAddress(bytes: body.prefix(16)))
        case 0x11, 0x21: throw Malformed()
        default: return ProxyHeader()
        }
    }
}

/// Tells a connection's handlers for whom the proxy has connected.
struct ProxiedAddress: Sendable {
    var address: ClientAddress?
}

/// Takes the header off connections of trusted proxies, in front of TLS. Connections of others pass as they are: a
/// header of theirs is malformed, as any first bytes that are no frame.
final class ProxyHeaderHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let trusted: [AddressRange]
    /// Whether a header is still to come.
    private var isExpecting = false
    private var buffer = ByteBuffer()

    init(trusting ranges: [AddressRange]) { trusted = ranges }

    func channelActive(context: ChannelHandlerContext) {
        let address = context.remoteAddress.flatMap(ClientAddress.init)
        isExpecting = address.map { address in trusted.contains { $0.contains(address) } } ?? false
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isExpecting else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        buffer.writeBuffer(&bytes)
        do {
            guard let header = try ProxyHeader.read(&buffer) else { return }
            isExpecting = false
            context.fireUserInboundEventTriggered(ProxiedAddress(address: header.address))
            if buffer.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(buffer)) }
            buffer = ByteBuffer()
        } catch {
            context.close(promise: nil)
        }
    }
}
