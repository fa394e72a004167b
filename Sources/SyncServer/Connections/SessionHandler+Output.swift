import FocusCore
import NIOCore

/// What a device is sent.
extension SessionHandler {
    func write(_ frame: [UInt8]) {
        guard let context else { return }
        journal.sent += frame.count
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
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
    func writeControl(_ frame: [UInt8]) {
        guard let context else { return }
        journal.sent += frame.count
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: written)
    }

    /// Flushes, then closes. A device that does not take the last bytes is cut off after 3 s.
    func close() {
        guard let context else { return }
        timer?.cancel()
        context.flush()
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(capacity: 0))).whenComplete { _ in
            channel.close(promise: nil)
        }
        context.eventLoop.scheduleTask(in: .seconds(3)) { channel.close(promise: nil) }
    }
}
