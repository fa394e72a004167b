import FocusCore
import NIOCore

/// What lanes have for a connection. Flow: deliveries → held while the heads they rest on are too old → frames → bytes.
extension SessionHandler {
    /// Performs what lanes made for this connection, in the order in which they made it.
    /// - Parameter confirmedAt: when the heads were confirmed that the news among them rest on.
    func receive(_ deliveries: [SessionDelivery], confirmedAt: MonotonicTime) {
        guard context != nil, !session.isClosed else { return receiveLate(deliveries) }
        let mayTell = !deliveries.contains(where: \.isNews) || services.isFresh(confirmedAt)
        if held.isEmpty, mayTell {
            for delivery in deliveries { perform(delivery) }
        } else {
            hold(deliveries, isConfirmed: mayTell)
        }
        process()
    }

    func perform(_ delivery: SessionDelivery) {
        switch delivery {
        case .opened(let opened):
            isOpen = true
            perform(session.opened(opened, serverTime: services.clock.wall(), now: services.clock.monotonic()))
        case .answered(let frame, let released):
            writeAnswer(frame, releasing: released)
            perform(session.appendAnswered())
        case .rows(let frame), .statuses(let frame): writeRows(frame)
        case .fetched(let frame), .reach(let frame): writeRows(frame) { $0.fetchAnswered() }
        case .control(let frame): writeControl(frame)
        case .confirmed: break
        case .failed(let error): perform(session.failed(error))
        case .refusedAsRevoked:
            journal.flaw = ConnectionJournal.revoked
            perform(session.failed(.deviceRevoked))
        case .goAway(let code): goAway(code)
        case .cutOff: cutOff()
        }
    }

    /// Rules A3 and V2: holds news that are too old to be written, and everything behind them, until the lane has
    /// confirmed its heads: if the device was revoked meanwhile, the lane says that first. Statuses are not held but
    /// asked for again, because they may show no more than what holds when they are written.
    private func hold(_ deliveries: [SessionDelivery], isConfirmed: Bool) {
        for delivery in deliveries {
            if session.isClosed {
                receiveLate([delivery])
            } else if case .cutOff = delivery {
                cutOff()
            } else if case .confirmed = delivery {
                if isConfirmed { writeHeld() } else if !held.isEmpty { confirm() }
            } else if held.isEmpty, isConfirmed || !delivery.isNews {
                perform(delivery)
            } else if case .statuses(let frame) = delivery {
                if quota.release(frame.count) { resume() }
                lacksStatuses = true
                if held.isEmpty { watchAgain() }
            } else {
                if held.isEmpty { confirm() }
                held.append(delivery)
            }
        }
    }

    private func writeHeld() {
        let confirmed = held
        held = []
        for delivery in confirmed { if session.isClosed { receiveLate([delivery]) } else { perform(delivery) } }
        if lacksStatuses { watchAgain() }
    }

    /// Has the lanes go on: the device has taken what was queued.
    func resume() {
        lane?.post(.resume(session: id))
        peers.post(.resume(session: id), except: lane)
    }

    private func watchAgain() {
        lacksStatuses = false
        guard let context, let identity else { return }
        post(peers.watch(session.watched, identity.viewer, handle(context), in: services.lanes))
    }

    private func confirm() {
        if let context { lane?.post(.confirm(handle(context))) }
    }

    /// Deals with deliveries for a connection that is closing or closed: gives budget back, and cuts a revoked device
    /// off.
    func receiveLate(_ deliveries: [SessionDelivery]) {
        for delivery in deliveries {
            switch delivery {
            case .answered(_, let released): services.budget.release(released)
            // Bytes that were written before may not have left the process yet.
            case .cutOff: cutOff()
            case .opened, .rows, .statuses, .fetched, .reach, .control, .confirmed, .failed, .refusedAsRevoked, .goAway:
                break
            }
        }
    }

    func goAway(_ code: ErrorCode, together count: Int? = nil) {
        perform(session.goAway(code, together: count))
        context?.flush()
    }

    /// Rule A3: ends the session of a revoked device. If rows wait for a slow device, they would leave before a GoAway,
    /// so the connection is closed without one.
    private func cutOff() {
        journal.flaw = ConnectionJournal.revoked
        guard session.hasRowsWaiting, context != nil else { return goAway(.unauthenticated) }
        session.disconnected()
        journal.cutOff(.unauthenticated)
        closeTransport()
    }
}
