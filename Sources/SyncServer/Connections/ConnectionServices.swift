import FocusCore
import Logging

/// What all connections of a server share.
struct ConnectionServices: Sendable {
    var limits: SessionLimits
    var format: LogFormat
    var clock: ServerClock
    var tokens: any TokenCheck
    var lanes: Lanes
    var budget: InboundBudget
    var parts: PartialFrames
    var quotas: RequestQuotas
    var connections: ConnectionRegistry
    var meter = ConnectionMeter()
    var logger: Logger
    /// Whether news may be written that rest on heads confirmed at that time (`LaneContext.isFresh`).
    var isFresh: @Sendable (MonotonicTime) -> Bool
}
