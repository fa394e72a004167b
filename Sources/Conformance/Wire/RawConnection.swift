import FocusCore
import FocusWire
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// A connection that sends exactly what a case wants, and keeps what it receives in order. It closes when it is
/// released.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let inbox: Inbox
    /// Rows and cursors that `first` passed over, for a `Replica` to apply.
    private let passedOver = NIOLockedValueBox<[ServerMessage]>([])
    let patience: Double

    private init(_ channel: any Channel, _ inbox: Inbox, _ patience: Double) {
        self.channel = channel
        self.inbox = inbox
        self.patience = patience
    }

    deinit { channel.close(promise: nil) }

    /// - Parameters:
    ///   - isDeaf: whether it reads nothing before `listen`; its receive window is small then, so that it is full soon.
    ///   - answersPings: whether it answers the server's pings by itself.
    static func open(
        _ address: ConformanceTarget.Address, _ target: ConformanceTarget, isDeaf: Bool = false,
        answersPings: Bool = true
    ) async throws -> RawConnection {
        let inbox = Inbox()
        let group = MultiThreadedEventLoopGroup.singleton
        let loop = group.any()
        let ready = loop.makePromise(of: Void.self)
        var bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(10))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if isDeaf { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: 16_384) }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let tls = try target.security.handler(for: address.host)
                    if let tls { try pipeline.addHandler(tls) }
                    try pipeline.addHandler(
                        FrameReceiver(inbox, answersPings: answersPings, isSecured: tls != nil, ready: ready))
                    return channel
                }
            }
        } catch {
            ready.fail(error)
            throw error
        }
        let connection = RawConnection(channel, inbox, target.patienceSeconds)
        try await connection.wait(for: ready, orFail: "the server has not finished a TLS handshake")
        if isDeaf { try await channel.setOption(.autoRead, value: false).get() }
        return connection
    }

    /// Waits for what needs the server, and no longer than `patience`: a case must end.
    private func wait(for promise: EventLoopPromise<Void>, orFail failure: String) async throws {
        let seconds = patience
        let timer = channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
            promise.fail(CaseFailure("\(failure) for \(Int(seconds)) s"))
        }
        defer { timer.cancel() }
        try await promise.futureResult.get()
    }

    // MARK: Saying

    func send(_ message: ClientMessage) async throws { try await send(bytes: FrameCodec.frame(message)) }

    /// Sends bytes as they are; returns when the kernel has taken them. Throws when it has not within `patience`, because
    /// the server does not read.
    func send(bytes: [UInt8]) async throws {
        let sent = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: sent)
        try await wait(for: sent, orFail: "the server has read nothing")
    }

    /// Sends bytes as a packet of their own, as far as the kernel allows, and does not wait.
    func post(bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    // MARK: Hearing

    /// Makes a deaf connection read from now on.
    func listen() async throws {
        do {
            try await channel.setOption(.autoRead, value: true).get()
        } catch ChannelError.ioOnClosedChannel {
            // The server closed it already; `next` says so.
        }
    }

    /// The number of bytes received so far, as whole frames or parts of them.
    var receivedBytes: Double { Double(inbox.receivedBytes) }

    /// Makes a deaf connection read at about this rate, until it ends or `goesOn` is false.
    /// - Returns: the longest time between two reads, in seconds: on a loaded machine they come late.
    func listen(bytesPerSecond rate: Double, while goesOn: (_ seconds: Double) -> Bool) async throws -> Double {
        let clock = ContinuousClock()
        let begin = clock.now
        var (spokenAt, lookedAt, longest) = (begin, begin, 0.0)
        while goesOn((clock.now - begin).inSeconds), !inbox.isEnded {
            longest = max(longest, (clock.now - lookedAt).inSeconds)
            lookedAt = clock.now
            // Each read brings what the receive window holds, or nothing.
            if receivedBytes < rate * (clock.now - begin).inSeconds { channel.read() }
            // The server's pings wait behind megabytes of rows, so the device shows with its own that it lives (L4).
            if (clock.now - spokenAt).inSeconds > 5 {
                post(bytes: FrameCodec.frame(ClientMessage.ping(5)))
                spokenAt = clock.now
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return longest
    }

    /// The next message. Throws `Silence` when the connection ends or nothing comes in time.
    func next(within seconds: Double? = nil) async throws -> ServerMessage {
        try await inbox.next(within: seconds ?? patience, on: channel.eventLoop)
    }

    /// Returns the rows and cursors that `first` passed over since the last call.
    func removePassedOver() -> [ServerMessage] {
        passedOver.withLockedValue { messages in
            defer { messages = [] }
            return messages
        }
    }

    /// The next message that `pick` accepts; others before it are passed over.
    /// - Parameter seconds: how long to wait; nil: `patience`.
    func first<T>(
        _ what: String, within seconds: Double? = nil, _ pick: (ServerMessage) throws -> T?
    ) async throws -> T {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(seconds ?? patience))
        do {
            while true {
                let message = try await next(within: max(0, (end - clock.now).inSeconds))
                if let picked = try pick(message) { return picked }
                if message.movesRows { passedOver.withLockedValue { $0.append(message) } }
            }
        } catch let silence as Silence {
            throw CaseFailure("no \(what): \(silence)")
        }
    }

    /// The next message that is no ping.
    func nextNews(within seconds: Double? = nil) async throws -> ServerMessage {
        try await first("message", within: seconds) { message in
            if case .ping = message { nil } else { message }
        }
    }

    func close() async {
        // The connection may be closed already.
        try? await channel.close()
    }
}

extension ConformanceTarget.Security {
    /// Nil for plaintext.
    func handler(for host: String) throws -> NIOSSLClientHandler? {
        guard case .tls(let trustFile) = self else { return nil }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["focus-sync/1"]
        if let trustFile { tls.trustRoots = .file(trustFile) }
        // A numeric address has no server name; the certificate is checked against the address itself.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: tls), serverHostname: isAddress ? nil : host)
    }
}
