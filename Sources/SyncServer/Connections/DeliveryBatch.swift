import FocusCore
import NIOCore

/// Gathers what a lane tells devices, so that each event loop is woken once, and each socket written once. All parts of
/// a lane add to the same batch, so a session gets its deliveries in the order in which they were made.
///
/// News are made while the heads are fresh (rules A3, V2), and an event loop may be late to write them. So the batch
/// says when the heads that they rest on were confirmed, and the connection looks again before it writes.
final class DeliveryBatch {
    /// What the sessions of one event loop get.
    private final class Outbox {
        let loop: any EventLoop
        var deliveries: [(handle: SessionHandle, list: [SessionDelivery])] = []
        /// Where each session's stand.
        var places: [UInt64: Int] = [:]

        init(_ loop: any EventLoop) { self.loop = loop }

        func add(_ delivery: SessionDelivery, to handle: SessionHandle) {
            if let place = places[handle.id] {
                deliveries[place].list.append(delivery)
            } else {
                places[handle.id] = deliveries.count
                deliveries.append((handle, [delivery]))
            }
        }

        func removeNews(for id: UInt64) {
            if let place = places[id] { deliveries[place].list.removeAll(where: \.isNews) }
        }

        func removeAll() {
            deliveries = []
            places.removeAll(keepingCapacity: true)
        }
    }

    private var byLoop: [ObjectIdentifier: Outbox] = [:]
    /// When the heads were confirmed that the oldest news of the batch rest on; nil while it has none.
    private var confirmedAt: MonotonicTime?
    private let confirmed: (SessionDelivery) -> MonotonicTime
    let meter: LaneMeter
    /// When the frames had arrived whose answers are in the batch.
    private var arrivals: [PreciseTime] = []
    /// When the lane had heard of what the rows in the batch tell.
    private var news: [PreciseTime] = []

    /// - Parameters:
    ///   - meter: the lane's.
    ///   - confirmed: gives the time at which the heads were confirmed that a delivery rests on.
    init(
        _ meter: LaneMeter = LaneMeter(),
        confirmed: @escaping (SessionDelivery) -> MonotonicTime = { _ in MonotonicTime(milliseconds: .max) }
    ) {
        (self.meter, self.confirmed) = (meter, confirmed)
    }

    func add(_ delivery: SessionDelivery, to handle: SessionHandle) {
        if delivery.isNews {
            let time = confirmed(delivery)
            confirmedAt = min(confirmedAt ?? time, time)
        }
        outbox(handle.eventLoop).add(delivery, to: handle)
    }

    private func outbox(_ loop: any EventLoop) -> Outbox {
        let id = ObjectIdentifier(loop)
        if let outbox = byLoop[id] { return outbox }
        let outbox = Outbox(loop)
        byLoop[id] = outbox
        return outbox
    }

    /// Adds the answer to an append frame.
    func addAnswer(_ frame: [UInt8], to answer: AppendStaging.Answer, for handle: SessionHandle) {
        meter.answered(answer)
        if let arrival = answer.append.request.arrivedAt { arrivals.append(arrival) }
        add(.answered(frame: frame, released: answer.append.request.charge), to: handle)
    }

    /// Adds a frame of rows, and counts its bytes in the session's quota (rule L1).
    /// - Parameter news: when the lane heard of what the rows tell; nil: they are no news.
    func addRows(_ frame: [UInt8], to handle: SessionHandle, since news: PreciseTime? = nil) {
        handle.quota.add(frame.count)
        if let news { self.news.append(news) }
        add(.rows(frame: frame), to: handle)
    }

    /// Adds a frame of statuses, and counts its bytes in the session's quota (rule L1).
    func addStatuses(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.statuses(frame: frame), to: handle)
    }

    /// Adds the answer to a fetch, and counts its bytes in the session's quota (rule L1).
    func addFetched(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.fetched(frame: frame), to: handle)
    }

    /// Adds the answer to a question about another user, and counts its bytes in the session's quota (rule L1).
    func addReach(_ frame: [UInt8], to handle: SessionHandle) {
        handle.quota.add(frame.count)
        add(.reach(frame: frame), to: handle)
    }

    /// Cuts a revoked device off (rule A3): removes the news that this batch still has for it.
    func cutOff(_ handle: SessionHandle) {
        byLoop[ObjectIdentifier(handle.eventLoop)]?.removeNews(for: handle.id)
        add(.cutOff, to: handle)
    }

    /// Drops all deliveries: none of them is sent.
    func removeAll() { (byLoop, confirmedAt, arrivals, news) = ([:], nil, [], []) }

    /// Sends all deliveries to their event loops, and empties the batch.
    func send() {
        let confirmedAt = confirmedAt ?? MonotonicTime(milliseconds: .max)
        for outbox in byLoop.values where !outbox.deliveries.isEmpty {
            let deliveries = outbox.deliveries
            outbox.removeAll()
            outbox.loop.execute {
                for (handle, list) in deliveries { handle.deliver(list, confirmedAt: confirmedAt) }
            }
        }
        if !arrivals.isEmpty || !news.isEmpty {
            meter.left(arrivals: arrivals, news: news)
            arrivals.removeAll(keepingCapacity: true)
            news.removeAll(keepingCapacity: true)
        }
        self.confirmedAt = nil
    }
}

extension SessionDelivery {
    /// Whether it tells the device anything but the fate of its own events and of its session, or lets it be told: a
    /// revoked device gets none of it.
    var isNews: Bool {
        switch self {
        case .rows, .statuses, .fetched, .reach, .control, .confirmed: true
        case .opened, .answered, .failed, .refusedAsRevoked, .goAway, .cutOff: false
        }
    }

    /// Whether it rests on the heads of all lanes and not on those of its own alone: it tells of another user, and the
    /// event that revoked the viewer's device may be in any of them.
    var restsOnAllLanes: Bool {
        switch self {
        case .statuses, .reach: true
        case .rows, .fetched, .control, .confirmed, .opened, .answered, .failed, .refusedAsRevoked, .goAway, .cutOff:
            false
        }
    }
}
