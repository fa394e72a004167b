import DequeModule
import FocusCore
import NIOCore

/// Hands connections of an event loop what a lane made for them. Where many get rows or statuses at once, as when one
/// of a thousand devices of a user, or a user whom a thousand watch, says something, the first ones get theirs at once
/// and the rest some at a time: writing to a thousand sockets takes milliseconds, in which nobody else would be heard
/// or answered (rule Q1).
///
/// Confined to its event loop.
final class DeliveryPace {
    /// How many get rows in a row: about half a millisecond.
    static let batch = 64
    /// The pause between batches, in which sockets are looked at.
    static let pause = TimeAmount.microseconds(20)

    private struct Waiting {
        let handle: SessionHandle
        /// Each with when the heads were confirmed that it rests on. Bounded in bytes by the session's quota (L1).
        var parts: [(deliveries: [SessionDelivery], confirmedAt: MonotonicTime)]

        func deliver() {
            for (deliveries, confirmedAt) in parts { handle.deliver(deliveries, confirmedAt: confirmedAt) }
        }
    }

    private var waiting: [UInt64: Waiting] = [:]
    /// The keys of `waiting` in the order in which they came; some of them are served by now.
    private var order: Deque<UInt64> = []
    private var isPlanned = false
    private let eventLoop: any EventLoop

    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Delivers to each session in the order in which its deliveries were made. Answers, and what else is not for many,
    /// wait for nobody else's rows.
    func deliver(_ deliveries: [(handle: SessionHandle, list: [SessionDelivery])], confirmedAt: MonotonicTime) {
        var room = order.isEmpty ? Self.batch : 0
        for (handle, list) in deliveries {
            if !list.allSatisfy(\.mayWait) {
                deliver(list, to: handle, confirmedAt)
            } else if room > 0 {
                room -= 1
                handle.deliver(list, confirmedAt: confirmedAt)
            } else {
                enqueue(list, for: handle, confirmedAt)
            }
        }
        plan()
    }

    /// Delivers what waits for the session, and this. A device that is cut off gets nothing of what waits (rule A3).
    private func deliver(_ list: [SessionDelivery], to handle: SessionHandle, _ confirmedAt: MonotonicTime) {
        let isCutOff = list.contains { if case .cutOff = $0 { true } else { false } }
        if let earlier = waiting.removeValue(forKey: handle.id), !isCutOff { earlier.deliver() }
        handle.deliver(list, confirmedAt: confirmedAt)
    }

    private func enqueue(_ list: [SessionDelivery], for handle: SessionHandle, _ confirmedAt: MonotonicTime) {
        if waiting[handle.id] == nil {
            waiting[handle.id] = Waiting(handle: handle, parts: [])
            order.append(handle.id)
        }
        waiting[handle.id]?.parts.append((list, confirmedAt))
    }

    private func plan() {
        guard !order.isEmpty, !isPlanned else { return }
        isPlanned = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.pause) { bound.value.deliverSome() }
    }

    private func deliverSome() {
        isPlanned = false
        var room = Self.batch
        while room > 0, let id = order.popFirst() {
            guard let next = waiting.removeValue(forKey: id) else { continue }
            room -= 1
            next.deliver()
        }
        plan()
    }
}

extension SessionDelivery {
    /// Whether many may get the like at once, so that it waits for its turn.
    fileprivate var mayWait: Bool {
        switch self {
        case .rows, .statuses: true
        case .opened, .answered, .fetched, .reach, .control, .confirmed, .failed, .refusedAsRevoked, .goAway, .cutOff:
            false
        }
    }
}
