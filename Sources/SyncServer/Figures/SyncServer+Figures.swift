import EventStore
import FocusCore

/// What a server tells of itself beside its health.
extension SyncServer {
    /// What each lane has counted and holds. Waits a second at most; a lane that does not answer, because it waits for
    /// its database for one, is told of as it was when it last did.
    public func laneFigures() async -> [LaneFigures] { await figures.collect() }

    /// What the database last said of the log and the read model, and how many milliseconds ago; nil before its first
    /// answer. Waits for nothing: it is asked beside, once a minute at the most.
    public func storeFigures() -> (figures: StoreFigures, age: Int64)? { storeWatch.figures() }

    /// The log's identity, as it was when the server started.
    public var log: LogIdentity { context.log }

    /// The name of the operator whose token it is; nil when it is bad, whatever is wrong with it.
    public func operatorName(of token: String) -> String? {
        tokens.operatorName(of: token, now: context.clock.wall())
    }

    /// How connections were refused and ended since the start.
    public var connectionCounts: ConnectionCounts { services.meter.counts }

    /// Connections that were accepted since the start.
    public var acceptedCount: Int { services.connections.acceptedCount }

    /// Connections for whose rows there is no room (rule L1).
    public var behindCount: Int { services.connections.behindCount }

    /// Requests that were past a quota since the start, of each kind (rule Q5).
    public var quotaRefusals: [QuotaRequest: Int] { services.quotas.refused }

    /// Bytes that appends may take before the server reads no more of them.
    public var inboundLimit: Int { configuration.inboundBytes }

    /// How many connections may be open at a time (rule Q2).
    public var connectionLimit: Int { configuration.connections.total }

    /// By how many microseconds the server's clock is ahead of the database's, negative when it is behind; zero while
    /// they agree as far as they must (rule E4).
    public var clockDifference: Int64 { context.databaseTime.difference() }

    /// Whether commits wait for a synchronous standby; nil before PostgreSQL's first answer.
    public var waitsForStandby: Bool? { primary.waits }

    /// Bytes that users may take in memory.
    public var cacheLimit: Int { configuration.cacheBytes }

    /// The milliseconds that have passed since the moment.
    public func milliseconds(since moment: MonotonicTime) -> Int64 { context.clock.monotonic() - moment }
}
