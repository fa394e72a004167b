import EventStore
import FocusCore
import FocusWire
import NIOCore
import NIOEmbedded

@testable import SyncServer

/// A TCP connection: bytes stay in order, and are split, joined, delayed and cut off as the seed says.
///
/// The connection is open until either end closes it or it breaks. Each end learns of that later; if the connection
/// broke silently, only from the other's silence (rule L4).
final class SimulatedLink {
    private(set) var isOver = false
    private unowned let simulation: Simulation
    private unowned let device: SimulatedDevice
    let server: SimulatedServer
    /// The history of the log that the connection belongs to (see `Simulation.history`).
    private(set) var history: Int
    /// The last history that the connection may belong to. It is later than `history` if the server let the device in
    /// while the log fell back; then nobody can tell which of the two the messages come from.
    private(set) var latestHistory: Int
    private var life: SimulatedServer.Process?
    private var channel: EmbeddedChannel?
    private let socket = SocketHandler()
    private var random: SeededGenerator
    private let rank: Int
    private var toServer = Pipe()
    private var toDevice = Pipe()
    /// Bytes sent to the server since the beginning, and how many of them have arrived.
    private var (sentBytes, arrivedBytes) = (0, 0)
    /// Appends that have not arrived, each with the offset at which it ends in the bytes sent.
    private var appends: [(end: Int, request: AppendRequest)] = []
    /// Bytes that the server's kernel buffers for a device that does not read.
    private let window: Int
    /// Nothing passes any more, and neither end is told.
    private var isSilent = false

    private var told = PeerTold()
    /// What the server has written, by the offset at which it ends in the bytes to the device, and when.
    private var written: [(end: Int, at: Int64)] = []
    private var (writtenBytes, heardBytes) = (0, 0)

    private struct Pipe {
        var bytes: [UInt8] = []
        var isPumping = false
        /// The sender has closed: the receiver learns of it after the bytes.
        var isEnding = false
        var isCut = false
    }

    init(_ number: Int, _ device: SimulatedDevice, _ server: SimulatedServer, _ simulation: Simulation) {
        self.simulation = simulation
        self.device = device
        self.server = server
        history = simulation.history
        latestHistory = history
        rank = 1_000 + number
        random = SeededGenerator(seed: simulation.seed, of: "link", number)
        window = random.element([200, 2_000, 64 * 1024])
        let jitter = Double(random.number(-100...100)) / 100
        life = server.process
        socket.link = self
        channel = server.accept(self, socket, jitter: jitter)
        server.wake()
    }

    /// The server's process continues after it stood still.
    func resume() { pumpToDevice(in: latency()) }

    private var isBlocked: Bool { isSilent || simulation.isPartitioned(device.index, server.index) }

    // MARK: To the server

    func send(_ request: AppendRequest) {
        let frame = FrameCodec.frame(ClientMessage.append(request))
        appends.append((end: sentBytes + frame.count, request: request))
        send(frame)
    }

    func send(_ bytes: [UInt8]) {
        guard !toServer.isEnding, !toServer.isCut else { return }
        toServer.bytes += bytes
        sentBytes += bytes.count
        pumpToServer(in: latency())
    }

    private func latency() -> Int { random.number(50...simulation.plan.latency) }

    private func pumpToServer(in wait: Int) {
        guard !toServer.isPumping else { return }
        toServer.isPumping = true
        simulation.after(wait, rank: rank) { [weak self] in
            guard let self else { return }
            self.toServer.isPumping = false
            self.deliverToServer()
        }
    }

    private func deliverToServer() {
        guard !toServer.isCut, let channel, life === server.process else { return }
        guard !isBlocked, !server.isPaused, isRead(channel) else { return pumpToServer(in: 20_000 + latency()) }
        let count = random.once(in: 3) ? random.number(0...toServer.bytes.count) : toServer.bytes.count
        let piece = Array(toServer.bytes.prefix(count))
        toServer.bytes.removeFirst(count)
        arrivedBytes += count
        while let first = appends.first, first.end <= arrivedBytes {
            simulation.witness.brought(first.request.envelopes.map(\.id))
            if simulation.plan.judgesAnswers { server.brought(first.request, of: device.user, on: self) }
            appends.removeFirst()
        }
        server.perform(life) {
            guard channel.isActive, !piece.isEmpty else { return }
            do {
                try channel.writeInbound(ByteBuffer(bytes: piece))
            } catch {
                simulation.witness.fail("a session handler throws \(error)")
            }
        }
        if !toServer.bytes.isEmpty {
            pumpToServer(in: latency())
        } else if toServer.isEnding {
            closeServer()
        }
    }

    private func isRead(_ channel: EmbeddedChannel) -> Bool {
        let option = channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }
        return option?.value as? Bool ?? true
    }

    private func closeServer() {
        guard let channel else { return }
        toServer.isCut = true
        server.perform(life) {
            if channel.isActive { channel.close(promise: nil) }
        }
    }

    // MARK: To the device

    /// The bytes that the kernel accepts now.
    fileprivate var room: Int { max(0, window - toDevice.bytes.count) }

    fileprivate func take(_ bytes: some Sequence<UInt8>) {
        guard !toDevice.isCut, !toDevice.isEnding else { return }
        toDevice.bytes += bytes
        pumpToDevice(in: latency())
    }

    private func pumpToDevice(in wait: Int) {
        guard !toDevice.isPumping else { return }
        toDevice.isPumping = true
        simulation.after(wait, rank: rank) { [weak self] in
            guard let self else { return }
            self.toDevice.isPumping = false
            self.deliverToDevice()
        }
    }

    private func deliverToDevice() {
        guard !toDevice.isCut else { return }
        guard !isBlocked else { return pumpToDevice(in: 20_000 + latency()) }
        var count = random.once(in: 3) ? random.number(0...toDevice.bytes.count) : toDevice.bytes.count
        if device.isSlow { count = min(count, 64) }
        let piece = Array(toDevice.bytes.prefix(count))
        toDevice.bytes.removeFirst(count)
        if !piece.isEmpty { device.receive(piece, self) }
        server.perform(life) { socket.flushPending() }
        if !toDevice.bytes.isEmpty {
            pumpToDevice(in: latency() + (device.isSlow ? 200_000 : 0))
        } else if toDevice.isEnding {
            toDevice.isCut = true
            isOver = true
            device.lost(self)
        }
    }

    /// The server has closed its end.
    fileprivate func serverClosed() {
        toDevice.isEnding = true
        toServer.isCut = true
        pumpToDevice(in: latency())
    }

    // MARK: Observation by the witness

    private var isWatchedOver: Bool {
        history == simulation.history && (device.watches || simulation.witness.isRevoked(device))
    }

    private func messages(_ frames: ByteBuffer) -> [ServerMessage] {
        var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
        splitter.feed(frames.readableBytesView)
        var messages: [ServerMessage] = []
        while let frame = try? splitter.next(), let message = try? FrameCodec.decodeServer(frame) {
            messages.append(message)
        }
        return messages
    }

    /// The device sends a Watch for these users.
    func asks(_ users: [UserID]) { for user in users { told.asked[user, default: 0] += 1 } }

    /// The device has heard a frame of so many bytes.
    /// - Returns: when the server wrote it.
    func heard(_ bytes: Int) -> Int64 {
        heardBytes += bytes
        while let first = written.first, first.end < heardBytes { written.removeFirst() }
        return written.first?.at ?? simulation.clock.now
    }

    /// The server writes these frames.
    fileprivate func wrote(_ frames: ByteBuffer) {
        writtenBytes += frames.readableBytes
        written.append((writtenBytes, simulation.clock.now))
        if simulation.plan.judgesAnswers, let life {
            for case .appended(let appended) in messages(frames) { life.waits.answered(appended, on: self) }
        }
        // The device connected before the log fell back and gets its Welcome after that.
        if history < simulation.history, messages(frames).contains(where: \.isWelcome) {
            latestHistory = simulation.history
            if life?.staleTurns == 0 { history = latestHistory }
        }
        guard isWatchedOver, let life else { return }
        for message in messages(frames) {
            simulation.witness.wrote(message, to: device, &told, life)
        }
    }

    /// The kernel takes some of the bytes, which cannot be taken back any more.
    fileprivate func takes(_ frames: ByteBuffer) {
        guard isWatchedOver, let seenAt = life?.revocations[device.id], seenAt < simulation.clock.now else { return }
        guard let news = messages(frames).first(where: \.isNews) else { return }
        simulation.witness.fail(
            "A3: \("\(news)".prefix(40)) waited for \(device) and is sent after the server has seen its revocation")
    }

    // MARK: Ends

    /// The server's process died; some of the bytes under way to the device may be lost.
    func serverDied() {
        if random.once(in: 2) { toDevice.bytes.removeLast(random.number(0...toDevice.bytes.count)) }
        // What the process still writes while it ends reaches nobody.
        socket.link = nil
        channel = nil
        serverClosed()
    }

    /// Whether nothing is under way to the device.
    var isQuiet: Bool { toDevice.bytes.isEmpty && !toDevice.isEnding }

    /// The log fell back while the server lives on: a connection of a user in a partition that lost nothing goes on in
    /// the new history.
    func survive(_ whole: Set<Partition>) {
        guard whole.contains(simulation.log.identity.partition(of: device.user)) else { return }
        if history == simulation.history - 1 { history = simulation.history }
        if latestHistory == simulation.history - 1 { latestHistory = simulation.history }
    }

    /// The device closes the connection: after its bytes have arrived, or with a reset that loses some of them.
    func closeByDevice(losing: Bool) {
        guard !isOver else { return }
        isOver = true
        toDevice.isCut = true
        if losing { toServer.bytes.removeLast(random.number(0...toServer.bytes.count)) }
        toServer.isEnding = true
        pumpToServer(in: latency())
    }

    /// The connection breaks, and both ends learn of it later.
    func cut() {
        guard !isOver else { return }
        toServer.bytes.removeLast(random.number(0...toServer.bytes.count))
        toDevice.bytes.removeLast(random.number(0...toDevice.bytes.count))
        toServer.isEnding = true
        toDevice.isEnding = true
        pumpToServer(in: latency())
        pumpToDevice(in: latency())
    }

    /// The connection breaks, and neither end learns of it.
    func fallSilent() { isSilent = true }
}

/// The kernel's side of the server's socket: accepts what fits, and reports it by the promise of each write.
final class SocketHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let highWater = 4 * 1024
    private static let lowWater = 1 * 1024

    weak var link: SimulatedLink?
    private var pending: [(bytes: ByteBuffer, whole: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var pendingBytes = 0
    private var flushed = 0
    private var channel: EmbeddedChannel?

    func handlerAdded(context: ChannelHandlerContext) { channel = context.channel as? EmbeddedChannel }
    func handlerRemoved(context: ChannelHandlerContext) { channel = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let buffer = unwrapOutboundIn(data)
        link?.wrote(buffer)
        pending.append((buffer, buffer, promise))
        pendingBytes += buffer.readableBytes
        noteWritability()
    }

    func flush(context: ChannelHandlerContext) {
        flushed = pending.count
        flushPending()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let failed = pending
        pending = []
        pendingBytes = 0
        flushed = 0
        for write in failed { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        link?.serverClosed()
        context.close(mode: mode, promise: promise)
    }

    func flushPending() {
        guard let link else { return }
        while flushed > 0 {
            let room = link.room
            guard var first = pending.first, room > 0 || first.bytes.readableBytes == 0 else { break }
            let piece = first.bytes.readBytes(length: min(room, first.bytes.readableBytes)) ?? []
            pendingBytes -= piece.count
            if !piece.isEmpty { link.takes(first.whole) }
            link.take(piece)
            guard first.bytes.readableBytes == 0 else {
                pending[0] = first
                break
            }
            pending.removeFirst()
            flushed -= 1
            first.promise?.succeed(())
        }
        noteWritability()
    }

    private func noteWritability() {
        guard let channel, channel.isActive else { return }
        if channel.isWritable, pendingBytes > Self.highWater {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
        } else if !channel.isWritable, pendingBytes < Self.lowWater {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }
}

extension ServerMessage {
    fileprivate var isWelcome: Bool { if case .welcome = self { true } else { false } }
}
