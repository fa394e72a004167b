import EventStore
import FocusCore
import Logging
import PostgresClient

/// The database that the server works on, an embedded cluster or the operator's PostgreSQL server: its schema is
/// migrated, and its log is identified.
struct Backend: Sendable {
    /// How the lanes connect. Their sessions act as the server's own role, which may append to the log and may not
    /// change what is logged.
    let store: StoreConfiguration
    /// How the server connects for LISTEN and NOTIFY: to the same database without a pooler in between.
    let direct: StoreConfiguration
    let log: LogIdentity
    /// Whether the log had events when it was opened: it was served before.
    let logHasEvents: Bool
    /// Names the database in the ready line: `external`, or `embedded:` and the data directory.
    let label: String
    private let cluster: EmbeddedCluster?
    private let supervisor: ClusterSupervisor?

    /// Starts the embedded cluster unless `database` is given, applies the migrations that are pending, and reads the
    /// log's identity.
    ///
    /// Throws what the cluster, the connection or a migration throws. It has stopped its embedded cluster then.
    /// - Parameters:
    ///   - database: the conninfo of the operator's server; nil: an embedded cluster in `directory`.
    ///   - directDatabase: the same database without a pooler in between; nil: `database` is direct.
    ///   - partitions: how many partitions a log gets that is made now.
    ///   - usesPreparedStatements: false behind a pooler in transaction mode.
    ///   - flag: see `EmbeddedCluster.start`.
    static func open(
        database: String?, directDatabase: String?, directory: DataDirectory, partitions: Int32,
        usesPreparedStatements: Bool, unless flag: StopFlag, logger: Logger
    ) async throws -> Backend {
        try await onThread {
            let cluster =
                try database == nil
                ? EmbeddedCluster.start(dataDirectory: directory.path, unless: flag) {
                    logger.notice("PostgreSQL recovers from a crash", metadata: ["seconds": "\($0.components.seconds)"])
                } : nil
            do {
                var owner = PostgresConfiguration(conninfo: database ?? cluster!.conninfo)
                owner.applicationName = "focusd-migrate"
                owner.usesPreparedStatements = usesPreparedStatements
                let connection = try PostgresConnection(owner)
                defer { connection.close() }
                try Migrator.migrate(on: connection, partitions: partitions) { progress in
                    switch progress {
                    case .applied(let migration): logger.info("migrated", metadata: ["migration": "\(migration)"])
                    case .waiting, .locked, .statement, .building: logger.info("\(progress)")
                    }
                }
                // This process alone serves an embedded cluster, so no server of an earlier version reads its log.
                if cluster != nil, let format = try Migrator.finish(on: connection, isAlone: true) {
                    logger.info("log raised", metadata: ["format": "\(format)"])
                }
                // Nobody reaches it but its owner and root, over its private socket.
                if cluster != nil { try LogDatabase.letReaderLogIn(on: connection) }
                var application = owner
                application.applicationName = "focusd"
                var direct = application
                if let directDatabase {
                    direct.conninfo = directDatabase
                    direct.usesPreparedStatements = true
                }
                direct.applicationName = ConnectedServer.applicationName
                let log = try LogIdentity.read(on: connection)
                if log.format < EventStore.logFormats.upperBound {
                    logger.warning(
                        "the log keeps an earlier format until every server is of this version: then run focusctl migrate --finish; until then events of rules N17 and N20 wait in their devices, and before format 3 an app can tell that others act (rule Z1), and before format 2 devices whose store was restored wait",
                        metadata: ["format": "\(log.format)", "newest": "\(EventStore.logFormats.upperBound)"])
                }
                try warn(of: DurabilityRisk.read(on: connection), logger)
                let heads = try LogReader().heads(of: log.allPartitions, on: connection)
                try warn(ofOtherFolds: StatusReader().shownFolds(on: connection), logger)
                let store = StoreConfiguration(application)
                return Backend(
                    store: cluster == nil ? store : store.sharingProcessors, direct: StoreConfiguration(direct),
                    log: log,
                    logHasEvents: heads.contains { $0.nextOffset > .zero },
                    label: cluster == nil ? "external" : "embedded:\(directory.path)",
                    cluster: cluster, supervisor: try cluster.map { try supervise($0, logger) })
            } catch {
                do {
                    try cluster?.stop()
                } catch let other {
                    // The first error says what is wrong.
                    logger.error("the cluster was not stopped", metadata: ["error": "\(other)"])
                }
                throw error
            }
        }
    }

    /// Warns of settings by which acknowledged events may be lost (rule P1): the operator may have chosen them, or not
    /// know of them.
    private static func warn(of risks: [DurabilityRisk], _ logger: Logger) {
        for risk in risks {
            logger.warning(
                "PostgreSQL runs with \(risk.rawValue) off: \(risk.consequence)",
                metadata: ["setting": "\(risk.rawValue)"])
        }
    }

    /// Warns of each shown generation of the read model that another version of the fold made: its rows stay as that
    /// fold made them until an event changes them.
    private static func warn(ofOtherFolds shown: [Int32?], _ logger: Logger) {
        for fold in shown where fold != FocusCore.foldVersion {
            logger.warning(
                "the read model is of another fold: some rows are not what this program makes of the log; run focusctl projections rebuild, which does that while this server runs",
                metadata: [
                    "fold": "\(fold.map(String.init) ?? "unknown")", "own": "\(FocusCore.foldVersion)",
                ])
        }
    }

    /// Where the embedded PostgreSQL keeps its data; nil: it is the operator's.
    var clusterDirectory: String? { cluster?.dataDirectory }

    /// How often the embedded PostgreSQL was started again; nil: it is the operator's.
    var restarts: Int? { supervisor?.restarts }

    /// Stops the embedded cluster. An operator's server is left as it is.
    func close() async throws {
        guard let cluster else { return }
        try await onThread {
            supervisor?.stop()
            try cluster.stop()
        }
    }

    /// Starts the embedded PostgreSQL again when it dies. The lanes wait for it meanwhile, and acknowledge nothing.
    private static func supervise(_ cluster: EmbeddedCluster, _ logger: Logger) throws -> ClusterSupervisor {
        try ClusterSupervisor(cluster) { report in
            switch report {
            case .restarted: logger.warning("embedded PostgreSQL had died and was started again")
            case .failed(let error):
                logger.critical("embedded PostgreSQL cannot be started", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Runs blocking work on a thread of its own: it must not hold a thread of the cooperative pool.
private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { done in
        do {
            _ = try PostgresThread(name: "backend") { done.resume(with: Result { try body() }) }
        } catch {
            done.resume(throwing: error)
        }
    }
}
