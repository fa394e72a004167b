import EventStore
import FocusCore
import Logging
import PostgresClient

/// The log that the server works on: an embedded cluster or a server of the operator's, migrated and identified.
struct Backend: Sendable {
    /// How the server's own role connects: it may append, not change what is logged.
    let store: StoreConfiguration
    /// The same without a pooler in between.
    let direct: StoreConfiguration
    let log: LogIdentity
    /// What the ready line says.
    let label: String
    private let cluster: EmbeddedCluster?
    private let supervisor: ClusterSupervisor?

    static func open(
        database: String?, directDatabase: String?, directory: DataDirectory, partitions: Int32,
        usesPreparedStatements: Bool, logger: Logger
    ) async throws -> Backend {
        try await onThread {
            let cluster = try database == nil ? EmbeddedCluster.start(dataDirectory: directory.path) : nil
            do {
                var owner = PostgresConfiguration(conninfo: database ?? cluster!.conninfo)
                owner.applicationName = "focusd-migrate"
                owner.usesPreparedStatements = usesPreparedStatements
                let connection = try PostgresConnection(owner)
                defer { connection.close() }
                for migration in try Migrator.migrate(on: connection, partitions: partitions, dryRun: false) {
                    logger.info("migrated", metadata: ["migration": "\(migration)"])
                }
                // Nobody else serves an embedded cluster: there is no older server to wait for.
                if cluster != nil, let format = try Migrator.finish(on: connection) {
                    logger.info("log raised", metadata: ["format": "\(format)"])
                }
                var application = owner
                application.applicationName = "focusd"
                var direct = application
                if let directDatabase {
                    direct.conninfo = directDatabase
                    direct.usesPreparedStatements = true
                }
                direct.applicationName = "focusd-hints"
                let log = try LogIdentity.read(on: connection)
                if log.format < EventStore.logFormats.upperBound {
                    logger.warning(
                        "the log keeps an earlier format until every server is of this version: then run focusctl migrate --finish; devices whose store was restored wait until then",
                        metadata: ["format": "\(log.format)", "newest": "\(EventStore.logFormats.upperBound)"])
                }
                try warn(ofOtherFolds: StatusReader().shownFolds(on: connection), logger)
                return Backend(
                    store: StoreConfiguration(application), direct: StoreConfiguration(direct), log: log,
                    label: cluster == nil ? "external" : "embedded:\(directory.path)",
                    cluster: cluster, supervisor: try cluster.map { try supervise($0, logger) })
            } catch {
                try cluster?.stop()
                throw error
            }
        }
    }

    /// Rows stay as the other fold made them until an event changes them.
    private static func warn(ofOtherFolds shown: [Int32?], _ logger: Logger) {
        for fold in shown where fold != FocusCore.foldVersion {
            logger.warning(
                "the read model is of another fold: some rows are not what this program makes of the log; run focusctl projections rebuild, which does that while this server runs",
                metadata: [
                    "fold": "\(fold.map(String.init) ?? "unknown")", "own": "\(FocusCore.foldVersion)",
                ])
        }
    }

    func close() async throws {
        guard let cluster else { return }
        try await onThread {
            supervisor?.stop()
            try cluster.stop()
        }
    }

    /// A postmaster that is killed under us is started again; meanwhile the lanes wait, and nobody is told anything.
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

/// Runs what blocks on a thread of its own, away from the cooperative pool.
private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { done in
        do {
            _ = try PostgresThread(name: "backend") { done.resume(with: Result { try body() }) }
        } catch {
            done.resume(throwing: error)
        }
    }
}
