import FocusCore
import NIOCore

/// A connection as the lanes know it: where to deliver, and how much may wait there.
struct SessionHandle: Sendable {
    /// The connection's id (`ConnectionRegistry.makeID`); a lane names the session by it too.
    let id: UInt64
    let quota: OutgoingQuota
    let eventLoop: any EventLoop
    private let receive: @Sendable ([SessionDelivery]) -> Void

    /// - Parameter receive: gets the deliveries, on `eventLoop`.
    init(
        id: UInt64, quota: OutgoingQuota, eventLoop: any EventLoop,
        receive: @escaping @Sendable ([SessionDelivery]) -> Void
    ) {
        self.id = id
        self.quota = quota
        self.eventLoop = eventLoop
        self.receive = receive
    }

    /// Hands the deliveries to the connection, in their order. Must be called on `eventLoop`.
    func deliver(_ deliveries: [SessionDelivery]) {
        eventLoop.assertInEventLoop()
        receive(deliveries)
    }
}
