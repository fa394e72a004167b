import FocusCore
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import SyncServer

/// The handshakes of one event loop, whose time the test moves.
@Suite struct HandshakePaceTests {
    /// How long TLS takes for what it is given.
    private static let step = TimeAmount.milliseconds(1)

    private let eventLoop = EmbeddedEventLoop()
    private let knocking = Channels()
    /// What steps of handshakes have taken.
    private let spent = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(0))
    private let time = NIOLockedValueBox(MonotonicTime(milliseconds: 0))
    private let meter = HandshakeMeter()
    private let limits = ConnectionLimits()

    private func pace(_ perMinute: Int = 6_000) -> HandshakePace {
        let (spent, time) = (spent, time)
        let clock = ServerClock(
            monotonic: { time.withLockedValue { $0 } }, wall: { Timestamp(microseconds: 0) }, step: { 1 })
        return HandshakePace(
            on: eventLoop, .minute(perMinute), clock: clock, meter: meter, uptime: { spent.withLockedValue { $0 } })
    }

    private func advance(by amount: TimeAmount) {
        time.withLockedValue { $0 = $0.adding(milliseconds: amount.nanoseconds / 1_000_000) }
        eventLoop.advanceTime(by: amount)
    }

    private func connect(_ id: UInt64, _ pace: HandshakePace, from address: String = "192.0.2.1") throws -> Knocking {
        let gate = HandshakeGate(id: id, pace, limits)
        let tls = SlowTLS(spent, Self.step)
        let channel = EmbeddedChannel(handlers: [gate, tls, HandshakeEnd(of: gate)], loop: eventLoop)
        let address = try SocketAddress(ipAddress: address, port: 1)
        knocking.all.append(channel)
        channel.remoteAddress = address
        channel.connect(to: address, promise: nil)
        return Knocking(channel: channel, tls: tls)
    }

    @Test("Q8: of many who knock at once one is served at a time, and the loop serves others for as long in between")
    func oneAtATime() throws {
        let pace = pace()
        let all = try (1...5).map { try connect(UInt64($0), pace) }
        for one in all { try one.send([1]) }
        #expect(all.map(\.tls.bytes) == [[1], [], [], [], []])
        #expect(meter.counts == HandshakeCounts(begun: 1, waiting: 4))
        advance(by: .nanoseconds(Self.step.nanoseconds - 1))
        #expect(all.map(\.tls.bytes) == [[1], [], [], [], []])
        advance(by: .nanoseconds(1))
        #expect(all.map(\.tls.bytes) == [[1], [1], [], [], []])
        for _ in 0..<3 { advance(by: Self.step) }
        #expect(all.map(\.tls.bytes) == [[1], [1], [1], [1], [1]])
        #expect(meter.counts == HandshakeCounts(begun: 5))
    }

    @Test("Q8: a handshake in pieces takes a turn for each, and nothing is lost or passed out of order")
    func pieces() throws {
        let pace = pace()
        let (one, other) = (try connect(1, pace), try connect(2, pace))
        try one.send([1])
        try other.send([1])
        for byte in UInt8(2)...4 { try one.send([byte]) }
        #expect(one.tls.bytes == [1] && other.tls.bytes == [])
        advance(by: Self.step)
        #expect(one.tls.bytes == [1] && other.tls.bytes == [1])
        advance(by: Self.step)
        #expect(one.tls.bytes == [1, 2, 3, 4] && meter.counts.begun == 2)
    }

    @Test("Q8: once its handshake is over, a connection waits for nobody")
    func over() throws {
        let pace = pace()
        let (session, other) = (try connect(1, pace), try connect(2, pace))
        try session.send([SlowTLS.last])
        try other.send([1])
        try session.send([7])
        try session.send([8])
        #expect(session.tls.bytes == [SlowTLS.last, 7, 8] && other.tls.bytes == [])
        #expect(throws: (any Error).self) {
            try session.channel.pipeline.syncOperations.handler(type: HandshakeGate.self)
        }
        #expect(throws: (any Error).self) {
            try session.channel.pipeline.syncOperations.handler(type: HandshakeEnd.self)
        }
    }

    @Test("Q8: an address that has begun what it may waits, and another is served meanwhile")
    func addresses() throws {
        let pace = pace(60)
        // More than a minute's worth, with the pauses in between.
        let flood = try (1...70).map { try connect(UInt64($0), pace) }
        for one in flood { try one.send([1]) }
        for _ in 0..<60 { advance(by: Self.step) }
        #expect(flood.count { $0.tls.bytes == [1] } == 60 && meter.counts.rests > 0)
        let other = try connect(100, pace, from: "192.0.2.2")
        try other.send([1])
        #expect(other.tls.bytes == [1])
        advance(by: .seconds(1))
        #expect(flood.count { $0.tls.bytes == [1] } == 61)
        for _ in 0..<10 { advance(by: .seconds(1)) }
        #expect(flood.allSatisfy { $0.tls.bytes == [1] } && meter.counts.waiting == 0)
    }

    @Test("A connection that closes while it waits leaves its place to the next")
    func closed() throws {
        let pace = pace()
        let all = try (1...3).map { try connect(UInt64($0), pace) }
        for one in all { try one.send([1]) }
        all[1].channel.close(promise: nil)
        eventLoop.run()
        advance(by: Self.step)
        #expect(all.map(\.tls.bytes) == [[1], [], [1]] && meter.counts.waiting == 0)
    }

    @Test("Q8: nothing is read from a connection while it waits for its turn")
    func reading() throws {
        let pace = pace()
        let (one, other) = (try connect(1, pace), try connect(2, pace))
        let reads = CountedReads()
        try other.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        try one.send([1])
        try other.send([1])
        let before = reads.count
        other.channel.pipeline.read()
        #expect(reads.count == before)
        advance(by: Self.step)
        #expect(reads.count == before + 1)
        other.channel.pipeline.read()
        #expect(reads.count == before + 2)
    }
}

/// Channels that are closed with the test: one that is open holds itself.
private final class Channels {
    var all: [EmbeddedChannel] = []

    deinit { for channel in all { _ = try? channel.finish(acceptAlreadyClosed: true) } }
}

private struct Knocking {
    var channel: EmbeddedChannel
    var tls: SlowTLS

    func send(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }
}

/// Takes time for each thing that it gets, and keeps it.
private final class SlowTLS: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The byte with which a handshake ends.
    static let last: UInt8 = 0xFF

    private(set) var bytes: [UInt8] = []
    private let spent: NIOLockedValueBox<NIODeadline>
    private let step: TimeAmount

    init(_ spent: NIOLockedValueBox<NIODeadline>, _ step: TimeAmount) { (self.spent, self.step) = (spent, step) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let new = Array(unwrapInboundIn(data).readableBytesView)
        bytes += new
        spent.withLockedValue { $0 = $0 + step }
        guard new.contains(Self.last) else { return }
        context.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
    }
}

private final class CountedReads: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
