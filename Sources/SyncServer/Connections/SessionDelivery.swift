import FocusCore
import NIOCore

/// What a lane tells a connection. The connection gets its deliveries in the order in which the lane made them.
enum SessionDelivery: Sendable {
    /// The session is open: the device gets its Welcome.
    case opened(SessionOpened)
    /// The answer to one append frame; empty when the device is told nothing. The connection gives `released`
    /// back to the inbound budget.
    case answered(frame: [UInt8], released: InboundCharge)
    /// Rows, whose bytes count in the quota.
    case rows(frame: [UInt8])
    /// Statuses of watched users, whose bytes count in the quota.
    case statuses(frame: [UInt8])
    /// The answer to one fetch, whose bytes count in the quota.
    case fetched(frame: [UInt8])
    /// The answer to one fetch about another user (rule F6), whose bytes count in the quota.
    case reach(frame: [UInt8])
    /// A checkpoint, which does not count in the quota.
    case control(frame: [UInt8])
    /// The heads were confirmed: the connection may write the news that it holds.
    case confirmed
    /// The session ends with this error.
    case failed(ProtocolError)
    /// The device is revoked, and is told so (rule A3): it erases what it holds.
    case refusedAsRevoked
    /// The session ends, behind everything that waits for the device.
    case goAway(ErrorCode)
    /// The session ends because its device was revoked (rule A3): nothing that waits may reach the device any more.
    case cutOff
}
