import DequeModule
import NIOCore

/// Says how much connections of an event loop take up of what came, before others have their turn (rule Q1). All
/// connections of a user take up together what one may, so nobody waits longer because somebody has a thousand.
///
/// Confined to its event loop.
final class ReadTurns {
    /// How many bytes of frames an owner's connections take up within a window: about a millisecond of work.
    static let bytes = 32 * 1024
    static let window = TimeAmount.milliseconds(2)
    /// What a frame counts for beside its bytes, and what looking for one does.
    static let bytesPerFrame = 1_024
    /// The pause between the turns of two owners, in which sockets are looked at.
    static let pause = TimeAmount.microseconds(100)

    private struct Waiter {
        let connection: UInt64
        let goOn: () -> Void
    }

    /// What was taken up in the window.
    private var taken: [ConnectionOwner: Int] = [:]
    private var windowEnd = NIODeadline.uptimeNanoseconds(0)
    /// Those whose turn is over, none of them twice.
    private var waiting: [ConnectionOwner: Deque<Waiter>] = [:]
    /// The keys of `waiting`, the next one first.
    private var order: Deque<ConnectionOwner> = []
    /// Whose connections go on at the moment.
    private var current: ConnectionOwner?
    private var isPlanned = false
    private let eventLoop: any EventLoop

    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// How many bytes one of the owner's connections may take up now; zero or less: it waits. Whoever comes while
    /// others of the owner wait goes behind them.
    func room(of owner: ConnectionOwner) -> Int {
        waiting[owner] == nil || current == owner ? left(for: owner) : 0
    }

    private func left(for owner: ConnectionOwner) -> Int {
        beginWindow()
        return Self.bytes - taken[owner, default: 0]
    }

    /// Begins another window if the one before is over.
    private func beginWindow() {
        let now = eventLoop.now
        guard now >= windowEnd else { return }
        taken.removeAll(keepingCapacity: true)
        windowEnd = now + Self.window
    }

    /// Counts what one of the owner's connections has taken up.
    func took(_ bytes: Int, _ owner: ConnectionOwner) {
        guard bytes > 0 else { return }
        beginWindow()
        taken[owner, default: 0] += bytes
    }

    /// Has a connection go on when its owner has room, behind those of the owner that wait already.
    /// - Parameter goOn: called once, in a later task.
    func wait(_ connection: UInt64, of owner: ConnectionOwner, _ goOn: @escaping () -> Void) {
        if waiting[owner] == nil { order.append(owner) }
        waiting[owner, default: []].append(Waiter(connection: connection, goOn: goOn))
        if !isPlanned { plan() }
    }

    /// Forgets a connection that is closed.
    func forget(_ connection: UInt64, of owner: ConnectionOwner) {
        waiting[owner]?.removeAll { $0.connection == connection }
        guard waiting[owner]?.isEmpty == true, current != owner else { return }
        waiting[owner] = nil
        order.removeAll { $0 == owner }
    }

    /// Never at once: a task without a pause would run before any socket is looked at.
    private func plan() {
        isPlanned = true
        let hasRoom = order.contains { left(for: $0) > 0 }
        let soon = eventLoop.now + Self.pause
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(deadline: hasRoom ? soon : max(soon, windowEnd)) { bound.value.giveTurn() }
    }

    private func giveTurn() {
        isPlanned = false
        if let owner = order.first(where: { left(for: $0) > 0 }) {
            order.removeAll { $0 == owner }
            goOn(owner)
            if waiting[owner]?.isEmpty ?? true { waiting[owner] = nil } else { order.append(owner) }
        }
        if !order.isEmpty, !isPlanned { plan() }
    }

    /// Lets connections go on until the owner's room, or the window, is over.
    private func goOn(_ owner: ConnectionOwner) {
        current = owner
        defer { current = nil }
        let window = windowEnd
        while left(for: owner) > 0, windowEnd == window, let waiter = waiting[owner]?.popFirst() {
            waiter.goOn()
            // One that finds nothing to take up costs something too.
            took(Self.bytesPerFrame, owner)
        }
    }
}
