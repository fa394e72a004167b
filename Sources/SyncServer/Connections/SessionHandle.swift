import FocusCore
import NIOCore

/// A connection as the lanes know it: where to deliver, and how much may wait there. A class, because each delivery
/// carries it.
final class SessionHandle: Sendable {
    /// The connection's id (`ConnectionRegistry.makeID`); a lane names the session by it too.
    let id: UInt64
    let quota: OutgoingQuota
    let eventLoop: any EventLoop
    private let receive: @Sendable ([SessionDelivery], MonotonicTime) -> Void

    /// - Parameter receive: gets the deliveries and their `confirmedAt`, on `eventLoop`.
    init(
        id: UInt64, quota: OutgoingQuota, eventLoop: any EventLoop,
        receive: @escaping @Sendable ([SessionDelivery], MonotonicTime) -> Void
    ) {
        self.id = id
        self.quota = quota
        self.eventLoop = eventLoop
        self.receive = receive
    }

    /// Hands the deliveries to the connection, in their order. Must be called on `eventLoop`.
    /// - Parameter confirmedAt: when the heads were confirmed that the news among them rest on.
    func deliver(_ deliveries: [SessionDelivery], confirmedAt: MonotonicTime) {
        eventLoop.assertInEventLoop()
        receive(deliveries, confirmedAt)
    }
}
