import FocusCore
import NIOCore

/// Lets the TLS handshakes of an event loop go on one at a time (rule Q8). A handshake is the dearest thing that
/// somebody without a token can ask for. After each step of one the loop serves everybody else, for as long as the step
/// took at least: so handshakes take half of the loop at the most, and who has a session waits for one step, not for
/// all who knock. A step that comes alone does not wait.
///
/// Flow: bytes come → `HandshakeGate` holds them → `HandshakeQueue` says whose turn it is → TLS gets the bytes → pause.
///
/// Confined to its event loop.
final class HandshakePace {
    /// The shortest pause, in which sockets are looked at at least, and the longest: a step that took longer was
    /// interrupted.
    private static let (shortestPause, longestPause) = (TimeAmount.microseconds(50), TimeAmount.milliseconds(5))

    private var queue: HandshakeQueue
    private var gates: [UInt64: HandshakeGate] = [:]
    /// Whether a step was made, and its pause is not over.
    private var isPausing = false
    /// When the next address that rests may go on, where nobody else waits.
    private var restsUntil: MonotonicTime?
    private let eventLoop: any EventLoop
    private let meter: HandshakeMeter
    private let clock: ServerClock
    private let uptime: () -> NIODeadline

    /// - Parameters:
    ///   - allowance: how many handshakes one address may begin.
    ///   - uptime: the time by which steps are measured.
    init(
        on eventLoop: any EventLoop, _ allowance: Allowance, clock: ServerClock, meter: HandshakeMeter,
        uptime: @escaping () -> NIODeadline = { .now() }
    ) {
        (self.eventLoop, self.clock, self.meter, self.uptime) = (eventLoop, clock, meter, uptime)
        queue = HandshakeQueue(allowance)
    }

    /// Lets the gate pass what it holds when its turn comes; at once when nobody is before it.
    func enter(_ gate: HandshakeGate) {
        gates[gate.id] = gate
        queue.add(gate.id, to: gate.line)
        meter.waits(1)
        if !isPausing { serve() }
    }

    /// Forgets a gate that waits, because its connection is closed.
    func leave(_ gate: HandshakeGate) {
        guard gates.removeValue(forKey: gate.id) != nil else { return }
        queue.remove(gate.id, from: gate.line)
        meter.waits(-1)
    }

    private func serve() {
        let before = queue.rests
        let next = queue.next(now: clock.monotonic())
        if queue.rests > before { meter.rested(queue.rests - before) }
        switch next {
        case .nobody: restsUntil = nil
        case .nobodyBefore(let time):
            guard restsUntil != time else { return }
            restsUntil = time
            run(in: .milliseconds(max(1, time - clock.monotonic()))) { $0.endRest(time) }
        case .connection(let id):
            restsUntil = nil
            isPausing = true
            let began = uptime()
            if let gate = gates.removeValue(forKey: id) {
                meter.passes(isNew: !gate.line.hasBegun)
                gate.pass()
            }
            run(in: min(max(uptime() - began, Self.shortestPause), Self.longestPause)) { $0.endPause() }
        }
    }

    private func endPause() {
        isPausing = false
        serve()
    }

    private func endRest(_ time: MonotonicTime) {
        guard !isPausing, restsUntil == time else { return }
        restsUntil = nil
        serve()
    }

    private func run(in time: TimeAmount, _ body: @escaping @Sendable (HandshakePace) -> Void) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: time) { body(bound.value) }
    }
}
