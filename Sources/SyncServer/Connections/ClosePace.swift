import DequeModule
import NIOCore

/// Closes connections whose devices have gone, some at a time. Thousands end in one moment where a network fails: the
/// kernel tells of them at once, and closing them all in one turn of the event loop would keep everybody else waiting for
/// a tenth of a second and more.
///
/// Confined to its event loop.
final class ClosePace {
    /// How many are closed in a row: about a quarter of a millisecond.
    static let batch = 16
    /// The pause between batches, in which sockets are looked at.
    static let pause = TimeAmount.microseconds(100)

    /// Bounded by the number of open connections.
    private var waiting: Deque<() -> Void> = []
    private let eventLoop: any EventLoop

    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Closes a connection, once those that are to be closed before it are. The first of them is closed after the
    /// pause.
    /// - Parameter close: called once; a connection that was closed meanwhile ignores it.
    func close(_ close: @escaping () -> Void) {
        waiting.append(close)
        if waiting.count == 1 { plan() }
    }

    private func plan() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        // A task without a pause would run before any socket is looked at.
        eventLoop.scheduleTask(in: Self.pause) { bound.value.closeSome() }
    }

    private func closeSome() {
        // They leave when they are closed: one that comes meanwhile finds that a batch is planned, or is under way.
        let batch = waiting.prefix(Self.batch)
        for close in batch { close() }
        waiting.removeFirst(batch.count)
        if !waiting.isEmpty { plan() }
    }
}
