import FocusCore
import NIOCore

/// A connection as the lanes know it: something to deliver to, and how much may wait there.
struct SessionHandle: Sendable {
    let id: UInt64
    let quota: OutgoingQuota
    let eventLoop: any EventLoop
    private let receive: @Sendable ([SessionDelivery]) -> Void

    init(
        id: UInt64, quota: OutgoingQuota, eventLoop: any EventLoop,
        receive: @escaping @Sendable ([SessionDelivery]) -> Void
    ) {
        self.id = id
        self.quota = quota
        self.eventLoop = eventLoop
        self.receive = receive
    }

    /// Call on `eventLoop`.
    func deliver(_ deliveries: [SessionDelivery]) {
        eventLoop.assertInEventLoop()
        receive(deliveries)
    }
}

/// What a lane tells a connection; kept in order.
enum SessionDelivery: Sendable {
    case opened(SessionOpened)
    /// One append frame was answered with these bytes; `released` of the inbound budget are free again.
    case answered(frame: [UInt8], released: Int)
    /// Rows, counted in the quota.
    case rows(frame: [UInt8])
    /// One fetch was answered with this frame, counted in the quota as rows are.
    case fetched(frame: [UInt8])
    /// A frame that is not counted: checkpoints.
    case control(frame: [UInt8])
    case failed(ProtocolError)
    case goAway(ErrorCode)
    /// The device was revoked (rule A3): nothing that waits may reach it any more.
    case cutOff
}

extension SessionDelivery {
    /// Whether it tells the device something of its user beyond what became of its own events.
    fileprivate var isNews: Bool {
        switch self {
        case .rows, .fetched, .control: true
        case .opened, .answered, .failed, .goAway, .cutOff: false
        }
    }
}

/// Deliveries of one turn of a lane, so that each event loop is woken once. All parts of a lane that tell devices anything
/// add to the same one: what a session gets keeps its order.
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

    /// Rows wait in the session's quota (rule L1).
    func addRows(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.rows(frame: frame), to: handle)
    }

    /// So do answers to its questions.
    func addFetched(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.fetched(frame: frame), to: handle)
    }

    /// Instead of what was made for it and has not left.
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

    /// Nothing of it leaves.
    func removeAll() { byLoop = [:] }

    func send() {
        for (loop, deliveries) in byLoop.values {
            loop.execute {
                for (handle, list) in deliveries { handle.deliver(list) }
            }
        }
        byLoop.removeAll(keepingCapacity: true)
    }
}
