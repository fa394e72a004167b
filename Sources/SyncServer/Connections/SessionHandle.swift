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

/// What a lane tells a connection. The connection gets its deliveries in the order in which the lane made them.
enum SessionDelivery: Sendable {
    /// The session is open: the device gets its Welcome.
    case opened(SessionOpened)
    /// The answer to one append frame; empty when the device is told nothing. The connection gives `released` bytes
    /// back to the inbound budget.
    case answered(frame: [UInt8], released: Int)
    /// Rows or statuses, whose bytes count in the quota.
    case rows(frame: [UInt8])
    /// The answer to one fetch, whose bytes count in the quota.
    case fetched(frame: [UInt8])
    /// A checkpoint, which does not count in the quota.
    case control(frame: [UInt8])
    /// The session ends with this error.
    case failed(ProtocolError)
    /// The session ends, behind everything that waits for the device.
    case goAway(ErrorCode)
    /// The session ends because its device was revoked (rule A3): nothing that waits may reach the device any more.
    case cutOff
}

extension SessionDelivery {
    /// Whether it tells the device anything but the fate of its own events and of its session: a revoked device gets
    /// none of it.
    fileprivate var isNews: Bool {
        switch self {
        case .rows, .fetched, .control: true
        case .opened, .answered, .failed, .goAway, .cutOff: false
        }
    }
}

/// Gathers what a lane tells devices, so that each event loop is woken once. All parts of a lane add to the same batch,
/// so a session gets its deliveries in the order in which they were made.
final class DeliveryBatch {
    private var byLoop: [ObjectIdentifier: (loop: any EventLoop, deliveries: [(SessionHandle, [SessionDelivery])])] =
        [:]

    func add(_ delivery: SessionDelivery, to handle: SessionHandle) {
        let id = ObjectIdentifier(handle.eventLoop)
        var entry = byLoop.removeValue(forKey: id) ?? (handle.eventLoop, [])
        if let last = entry.deliveries.indices.last, entry.deliveries[last].0.id == handle.id {
            entry.deliveries[last].1.append(delivery)
        } else {
            entry.deliveries.append((handle, [delivery]))
        }
        byLoop[id] = entry
    }

    /// Adds a frame of rows or statuses, and counts its bytes in the session's quota (rule L1).
    func addRows(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.rows(frame: frame), to: handle)
    }

    /// Adds the answer to a fetch, and counts its bytes in the session's quota (rule L1).
    func addFetched(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.fetched(frame: frame), to: handle)
    }

    /// Cuts a revoked device off (rule A3): removes the news that this batch still has for it.
    func cutOff(_ handle: SessionHandle) {
        let loop = ObjectIdentifier(handle.eventLoop)
        if var entry = byLoop.removeValue(forKey: loop) {
            for index in entry.deliveries.indices where entry.deliveries[index].0.id == handle.id {
                entry.deliveries[index].1.removeAll(where: \.isNews)
            }
            byLoop[loop] = entry
        }
        add(.cutOff, to: handle)
    }

    /// Drops all deliveries: none of them is sent.
    func removeAll() { byLoop = [:] }

    /// Sends all deliveries to their event loops, and empties the batch.
    func send() {
        for (loop, deliveries) in byLoop.values {
            loop.execute {
                for (handle, list) in deliveries { handle.deliver(list) }
            }
        }
        byLoop.removeAll(keepingCapacity: true)
    }
}
