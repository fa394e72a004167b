import FocusCore
import FocusWire
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Support
import SyncServer
import Testing

/// A client that sends exactly what a test wants, and keeps what it receives in order.
final class WireClient: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private let inbox = Inbox()
    private let reader: Task<Void, Never>

    private init(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        self.channel = channel
        let inbox = inbox
        reader = Task {
            var splitter = FrameSplitter(limit: 4 * 1024 * 1024)
            do {
                try await channel.executeThenClose { inbound, _ in
                    for try await buffer in inbound {
                        splitter.feed(buffer.readableBytesView)
                        while let frame = try splitter.next() { inbox.put(try FrameCodec.decodeServer(frame)) }
                    }
                }
            } catch {
                // The server or the test has cut the connection.
            }
            inbox.finish()
        }
    }

    static func connect(port: Int, receiveBuffer: Int32? = nil) async throws -> WireClient {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return WireClient(channel)
    }

    /// Connects, sends Hello and receives Welcome.
    /// - Parameter isClassProven: whether the token says the class too.
    static func open(
        _ server: TestServer, user: UserID, device: DeviceID = .random(), scope: Scope = .system,
        incarnation: Int64 = 1, cursor: Cursor? = nil, collections: [RowCollection] = [],
        deviceClass: DeviceClass = .phone, isClassProven: Bool = false, tokenExpiresIn seconds: Double = 3_600,
        protocols: ClosedRange<UInt32> = 1...2
    ) async throws -> (client: WireClient, welcome: Welcome) {
        let client = try await connect(port: server.port)
        try await client.hello(
            token: TestServer.token(
                user, device, scope, expiresIn: seconds, now: server.clock.wall(),
                deviceClass: isClassProven ? deviceClass : nil),
            incarnation: incarnation, cursor: cursor, collections: collections, deviceClass: deviceClass,
            protocols: protocols)
        let answer = try await client.next()
        guard case .welcome(let welcome) = answer else { throw WireError.unexpected("\(answer) instead of Welcome") }
        return (client, welcome)
    }

    func hello(
        token: String, incarnation: Int64 = 1, cursor: Cursor? = nil, collections: [RowCollection] = [],
        deviceClass: DeviceClass = .phone, protocols: ClosedRange<UInt32> = 1...2
    ) async throws {
        try await send(
            .hello(
                Hello(
                    minimumProtocol: protocols.lowerBound, maximumProtocol: protocols.upperBound, token: token,
                    deviceClass: deviceClass, incarnation: Incarnation(incarnation), cursor: cursor,
                    collections: collections)))
    }

    func send(_ message: ClientMessage) async throws { try await send(bytes: FrameCodec.frame(message)) }

    func send(bytes: [UInt8]) async throws {
        try await channel.channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Writes without waiting; each call is a packet of its own if the kernel allows it.
    func write(bytes: [UInt8]) { channel.channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func append(from sequence: Int64, _ envelopes: [Envelope]) async throws {
        try await send(
            .append(AppendRequest(firstSequence: DeviceSequence(sequence), envelopes: envelopes)))
    }

    /// The next message that is not a heartbeat. Throws when the connection ends or the time is over; heartbeats do not
    /// extend the time.
    func next(within seconds: Double = 180) async throws -> ServerMessage {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            let left = max(.zero, deadline - ContinuousClock.now)
            let message = try await inbox.take(within: left / .seconds(1))
            if case .ping(let nonce) = message { try await send(.pong(nonce)) } else { return message }
        }
    }

    /// The next message that `pick` accepts; earlier ones are skipped.
    func first<T>(within seconds: Double = 180, _ pick: (ServerMessage) -> T?) async throws -> T {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            let left = max(.zero, deadline - ContinuousClock.now)
            if let picked = pick(try await next(within: left / .seconds(1))) { return picked }
        }
    }

    func appended() async throws -> Appended {
        try await first { if case .appended(let appended) = $0 { appended } else { nil } }
    }

    func recall(_ incarnation: Int64 = 1, from sequence: Int64, _ events: [EventID]) async throws -> Recalled {
        try await send(
            .recall(
                Recall(
                    incarnation: Incarnation(incarnation), firstSequence: DeviceSequence(sequence), events: events)))
        return try await first { if case .recalled(let recalled) = $0 { recalled } else { nil } }
    }

    func error() async throws -> ProtocolError {
        try await first { if case .error(let error) = $0 { error } else { nil } }
    }

    /// Whether the server closes the connection within the time, whatever it sends before.
    func isClosed(within seconds: Double = 180) async -> Bool {
        do {
            while true { _ = try await inbox.take(within: seconds) }
        } catch WireError.closed {
            return true
        } catch {
            return false
        }
    }

    func close() async {
        reader.cancel()
        try? await channel.channel.close()
    }
}

enum WireError: Error {
    case closed, timeout
    case unexpected(String)
}
