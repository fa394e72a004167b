import Logging

@testable import SyncServer

extension SimulatedServer {
    func configuration(_ plan: SimulationPlan) -> LaneConfiguration {
        var configuration = LaneConfiguration()
        // The simulation decides when turns happen, so nothing may wait by the machine's clock.
        configuration.gatherMicroseconds = 0
        configuration.pageBytes = plan.pageBytes
        configuration.refoldLimit = plan.refoldLimit
        configuration.lookMilliseconds = plan.lookMilliseconds
        configuration.eventsPerStatement = random.element([3, 4_000])
        configuration.eventsPerLock = configuration.eventsPerStatement == 3 ? 2 : 256
        configuration.workPerUser = random.element([400, 20_000])
        configuration.sessionsAtOnce = random.element([1, 2, 64])
        configuration.lightWork = random.element([20, 300])
        configuration.workBesideLight = random.element([50, 1_000])
        configuration.hashedBytesPerTurn = random.element([2_000, 128 * 1024])
        configuration.workBesideLane = random.element([0, 0, 4_000])
        configuration.foldsBesideLane = random.element([1, 64])
        configuration.cacheBytes = plan.cacheBytes
        configuration.projectionMilliseconds = Int64(random.element([50, 800]))
        configuration.pauseMilliseconds = Int64(random.element([20, 100, 1_000]))
        configuration.checkpointMilliseconds = Int64(random.element([100, 1_000]))
        if plan.brokenEvents + plan.brokenCrowd > 0 {
            configuration.quarantineMilliseconds = random.element([300, 2_000])
        }
        if plan.crowd > 0 { configuration.rowsPerProjection = plan.crowdRows }
        if let bound = plan.projectionBounds {
            configuration.usersPerProjection = bound
            configuration.rowsPerProjection = bound
            configuration.loadsPerProjection = bound
        }
        return configuration
    }

    /// Writes the server's log to the trace.
    var logger: Logger {
        guard simulation.isTraced else { return Self.silent }
        nonisolated(unsafe) unowned let simulation = simulation
        let index = index
        var logger = Logger(label: "simulation") { _ in
            TracedLog { event in
                simulation.trace("server \(index) says: \(event.message) \(event.metadata ?? [:])")
            }
        }
        logger.logLevel = .info
        return logger
    }

    private static let silent: Logger = {
        var logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return logger
    }()
}

private struct TracedLog: LogHandler {
    let tell: @Sendable (LogEvent) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    init(tell: @escaping @Sendable (LogEvent) -> Void) { self.tell = tell }
    func log(event: LogEvent) { tell(event) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
