import NIOConcurrencyHelpers

/// TLS handshakes of a server since it started.
public struct HandshakeCounts: Hashable, Sendable {
    /// Handshakes that were begun.
    public var begun = 0
    /// How often an address had to wait because it had begun more than it may.
    public var rests = 0
    /// Connections whose handshake waits for its turn now.
    public var waiting = 0
}

/// Counts for all event loops of a server.
final class HandshakeMeter: Sendable {
    private let counted = NIOLockedValueBox(HandshakeCounts())

    var counts: HandshakeCounts { counted.withLockedValue { $0 } }

    func waits(_ step: Int) { counted.withLockedValue { $0.waiting += step } }

    func rested(_ count: Int) { counted.withLockedValue { $0.rests += count } }

    /// - Parameter isNew: whether the handshake begins.
    func passes(isNew: Bool) {
        counted.withLockedValue {
            $0.waiting -= 1
            if isNew { $0.begun += 1 }
        }
    }
}
