import FocusCore
import Logging

/// What all connections of a server share. A class, as each connection holds it.
final class ConnectionServices: Sendable {
    let limits: SharedSessionLimits
    let format: LogFormat
    let clock: ServerClock
    let tokens: any TokenCheck
    let lanes: Lanes
    let budget: InboundBudget
    let parts: PartialFrames
    /// Nil: all frames are decoded on their event loops.
    let decoder: FrameDecoder?
    let quotas: RequestQuotas
    let connections: ConnectionRegistry
    let meter = ConnectionMeter()
    let closings = LoopLocal { ClosePace(on: $0) }
    let turns = LoopLocal { ReadTurns(on: $0) }
    let logger: Logger
    /// Whether news may be written that rest on heads confirmed at that time (`LaneContext.isFresh`).
    let isFresh: @Sendable (MonotonicTime) -> Bool

    init(
        limits: SessionLimits, format: LogFormat, clock: ServerClock, tokens: any TokenCheck, lanes: Lanes,
        budget: InboundBudget, parts: PartialFrames, decoder: FrameDecoder? = nil, quotas: RequestQuotas,
        connections: ConnectionRegistry, logger: Logger, isFresh: @escaping @Sendable (MonotonicTime) -> Bool
    ) {
        self.limits = SharedSessionLimits(limits)
        (self.format, self.clock, self.tokens, self.lanes) = (format, clock, tokens, lanes)
        (self.budget, self.parts, self.decoder) = (budget, parts, decoder)
        (self.quotas, self.connections) = (quotas, connections)
        (self.logger, self.isFresh) = (logger, isFresh)
    }
}
