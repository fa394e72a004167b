import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support

/// A PgBouncer for one test, in transaction mode, in front of the tests' cluster. It keeps fewer sessions than a server
/// has connections, so that one connection meets what another leaves behind in a session.
final class Bouncer: Sendable {
    static let program = "/usr/sbin/pgbouncer"
    private let child: ChildProcess
    private let directory: String

    /// - Parameters:
    ///   - conninfo: a database of the cluster, as `TestCluster` gives it.
    ///   - sessions: how many sessions with the database it keeps.
    init(conninfo: String, sessions: Int = 2) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw NeverHappened(description: "\(Self.program) is missing (Debian: apt install pgbouncer)")
        }
        directory = try TestDirectory.make()
        // A socket of its own: a port that was free a moment ago may belong to another test by now.
        try FileManager.default.createDirectory(atPath: directory + "/socket", withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory + "/socket")
        // PgBouncer does not know this parameter of libpq.
        let server = conninfo.replacingOccurrences(of: "connect_timeout=60 ", with: "")
        let configuration = """
            [databases]
            focus = \(server)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(directory)/socket
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(sessions)
            max_client_conn = 500
            server_login_retry = 1
            """
        let file = "\(directory)/pgbouncer.ini"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        // PgBouncer refuses to run as root; the cluster's user may reach its socket.
        let user = geteuid() == 0 ? ["-u", "postgres"] : []
        child = try ChildProcess(Self.program, ["-q"] + user + [file])
        try eventually("PgBouncer answers") {
            do throws(PostgresError) {
                try PostgresConnection(self.configuration).close()
                return true
            } catch {
                return false
            }
        }
    }

    /// The value for a server's `--database`.
    var conninfo: String { "host=\(directory)/socket port=6432 user=anybody dbname=focus connect_timeout=60" }

    var configuration: PostgresConfiguration {
        PostgresConfiguration(conninfo: conninfo, usesPreparedStatements: false)
    }

    func stop() async {
        child.signal(SIGTERM)
        // Ends it at once. Clients of servers that were killed are gone, so there is nobody to wait for.
        child.signal(SIGKILL)
        _ = await child.exitCode()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
