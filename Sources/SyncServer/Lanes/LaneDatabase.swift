import Foundation
import Logging
import PostgresClient

/// The server is to end while the database is away.
struct LaneStopped: Error {}

/// A lane's own connection: made when needed, made again when lost. Confined to the lane's thread.
final class LaneDatabase {
    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private var current: PostgresConnection?

    init(configuration: PostgresConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool) {
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
    }

    /// A usable connection. Waits for the database as long as it takes, with growing pauses; throws `LaneStopped` when the
    /// server is to end meanwhile.
    func connection() throws -> PostgresConnection {
        if let current, current.isUsable { return current }
        drop()
        var pause = 0.02
        while true {
            do {
                let made = try PostgresConnection(configuration)
                current = made
                return made
            } catch {
                logger.warning("database not reachable", metadata: ["error": "\(error)"])
                if isStopping() { throw LaneStopped() }
                Thread.sleep(forTimeInterval: Double.random(in: pause / 2...pause))
                pause = min(pause * 2, 1)
            }
        }
    }

    /// Runs something that can be run twice, again when the connection is lost in the middle of it.
    func perform<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
        while true {
            let connection = try connection()
            do {
                return try body(connection)
            } catch let error as PostgresError where error.isConnectionLoss {
                logger.warning("database connection lost", metadata: ["error": "\(error)"])
                drop()
                if isStopping() { throw LaneStopped() }
            }
        }
    }

    func drop() {
        current?.close()
        current = nil
    }
}
