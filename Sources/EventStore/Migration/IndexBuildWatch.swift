import PostgresClient
import Waits

/// Tells how far the index is that another session builds. It looks once a second, on a connection and a thread of its
/// own.
final class IndexBuildWatch: Sendable {
    /// A phase, and how much of it is done, in percent.
    struct Step: Equatable {
        var phase: String
        var percent: Int32?
    }

    private let pause = StoppablePause()
    private let thread: PostgresThread

    /// - Parameters:
    ///   - session: the process that serves the session, as in `pg_stat_activity.pid`.
    ///   - configuration: connects to the same server.
    ///   - report: called on the thread of the watch, whenever something has changed.
    init(
        of session: Int32, _ configuration: PostgresConfiguration, report: @escaping @Sendable (Step) -> Void
    ) throws(PostgresError) {
        let pause = pause
        thread = try PostgresThread(name: "index-build") {
            do {
                let connection = try PostgresConnection(configuration)
                defer { connection.close() }
                var last: Step?
                while pause.sleep(seconds: 1) {
                    let step = try Self.step(of: session, on: connection)
                    if let step, step != last { report(step) }
                    last = step
                }
            } catch {
                // The build goes on whether anybody sees how far it is or not.
            }
        }
    }

    /// Ends the watch: nothing is reported any more once it returns.
    func stop() {
        pause.stop()
        thread.join()
    }

    private static func step(of session: Int32, on connection: PostgresConnection) throws -> Step? {
        let result = try connection.query(Queries.readIndexBuild, [.int4(session)])
        guard result.rowCount > 0 else { return nil }
        return Step(
            phase: try result.text(row: 0, column: 0), percent: try result.optional(0, 1, result.int4))
    }
}
