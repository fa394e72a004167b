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
    var connections: ConnectionRegistry
    var logger: Logger
}
