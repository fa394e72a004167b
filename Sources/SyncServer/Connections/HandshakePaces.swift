import FocusCore
import NIOCore

/// The handshakes of a server: each event loop paces its own.
final class HandshakePaces: Sendable {
    private let paces: LoopLocal<HandshakePace>
    private let limits: ConnectionLimits
    let meter: HandshakeMeter

    init(_ limits: ConnectionLimits, clock: ServerClock) {
        let meter = HandshakeMeter()
        (self.limits, self.meter) = (limits, meter)
        paces = LoopLocal { HandshakePace(on: $0, .minute(limits.handshakesPerAddress), clock: clock, meter: meter) }
    }

    /// The gate of a new connection. Called on its event loop.
    func gate(_ id: UInt64, on eventLoop: any EventLoop) -> HandshakeGate {
        HandshakeGate(id: id, paces.value(on: eventLoop), limits)
    }
}
