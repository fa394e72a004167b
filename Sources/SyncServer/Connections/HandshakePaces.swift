import FocusCore
import NIOConcurrencyHelpers
import NIOCore

/// The handshakes of a server: each event loop paces its own.
final class HandshakePaces: Sendable {
    private let paces: NIOLockedValueBox<[ObjectIdentifier: NIOLoopBound<HandshakePace>]> = NIOLockedValueBox([:])
    private let limits: ConnectionLimits
    private let clock: ServerClock
    let meter = HandshakeMeter()

    init(_ limits: ConnectionLimits, clock: ServerClock) { (self.limits, self.clock) = (limits, clock) }

    /// The gate of a new connection. Called on its event loop.
    func gate(_ id: UInt64, on eventLoop: any EventLoop) -> HandshakeGate {
        HandshakeGate(id: id, pace(of: eventLoop), limits)
    }

    private func pace(of eventLoop: any EventLoop) -> HandshakePace {
        paces.withLockedValue { paces in
            if let pace = paces[ObjectIdentifier(eventLoop)] { return pace }
            let pace = HandshakePace(
                on: eventLoop, .minute(limits.handshakesPerAddress), clock: clock, meter: meter)
            let bound = NIOLoopBound(pace, eventLoop: eventLoop)
            paces[ObjectIdentifier(eventLoop)] = bound
            return bound
        }.value
    }
}
