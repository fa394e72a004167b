import FocusCore
import NIOCore
import NIOSSL

/// What a device is sent.
extension SessionHandler {
    func write(_ frame: [UInt8]) {
        guard let context else { return }
        journal.sent += frame.count
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
    }

    /// Answers this large are charged to the inbound budget until they have left: their device need not read them.
    private static let largeAnswer = 4_096

    /// Writes the answer to an append; empty: there is none.
    /// - Parameter charge: what the append was charged to the inbound budget.
    func writeAnswer(_ frame: [UInt8], releasing charge: InboundCharge) {
        let budget = services.budget
        guard context != nil, frame.count >= Self.largeAnswer else {
            budget.release(charge)
            if !frame.isEmpty { write(frame) }
            return
        }
        // Rule L2 holds for it too: whoever is out of budget is not taken for dead, and would hold it for ever.
        writeControl(frame) { budget.release(charge) }
    }

    /// Writes a frame whose bytes count in the quota, and releases them when it is written.
    /// - Parameter onWritten: called with the session when the frame is written, or dropped with the connection.
    func writeRows(
        _ frame: [UInt8], onWritten: @escaping @Sendable (inout Session) -> Void = { _ in }
    ) {
        guard let context else { return }
        journal.sent += frame.count
        let (quota, count) = (quota, frame.count)
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
            onWritten(&loop.value.session)
            if quota.release(count) { loop.value.resume() }
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: written)
    }

    /// Writes a frame that does not count in the quota. The session counts it among the rows that wait, because rules
    /// L2 and A3 hold for it too.
    /// - Parameter onWritten: called when the frame is written, or dropped with the connection.
    func writeControl(_ frame: [UInt8], onWritten: @escaping @Sendable () -> Void = {}) {
        guard let context else { return }
        journal.sent += frame.count
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            onWritten()
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: written)
    }

    /// Flushes, then closes. A device that does not take the last bytes is cut off after 3 s, whatever TLS waits for. One
    /// whose TLS handshake is not over can be told nothing, and is closed at once.
    func close() {
        guard let context else { return }
        timer?.cancel()
        guard !isInHandshake(context) else { return closeTransport() }
        context.flush()
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(capacity: 0))).whenComplete { _ in
            channel.close(promise: nil)
        }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .seconds(3)) { loop.value.closeTransport() }
    }

    private func isInHandshake(_ context: ChannelHandlerContext) -> Bool {
        (try? context.pipeline.syncOperations.context(handlerType: HandshakeEnd.self)) != nil
    }

    /// Closes the connection without waiting for anything that TLS would still send or get.
    func closeTransport() {
        if let context { transport(context).close(promise: nil) }
    }

    /// Where a connection is closed at once. The TLS handler is bypassed: on close it would first write the bytes that
    /// it holds, and wait for the device's answer.
    private func transport(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
        (try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)) ?? context
    }
}
