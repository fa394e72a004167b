import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support

/// A PgBouncer of the test's own in transaction mode, in front of the tests' cluster, with fewer sessions than a server
/// has connections: what one of them leaves behind, another finds.
final class Bouncer: Sendable {
    static let program = "/usr/sbin/pgbouncer"
    private let child: ChildProcess
    private let directory: String
    private let port: Int

    /// - Parameters:
    ///   - conninfo: a database of the cluster, as `TestCluster` gives it.
    ///   - sessions: how many it keeps for that.
    init(conninfo: String, sessions: Int = 2) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw NeverHappened(description: "\(Self.program) is missing (Debian: apt install pgbouncer)")
        }
        directory = try TestDirectory.make()
        port = try Self.freePort()
        let configuration = """
            [databases]
            focus = \(conninfo)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(sessions)
            max_client_conn = 500
            server_login_retry = 1
            """
        let file = "\(directory)/pgbouncer.ini"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        // It does not run as root; the cluster's user may reach its socket.
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

    /// What a server is given with `--database`.
    var conninfo: String { "host=127.0.0.1 port=\(port) user=anybody dbname=focus sslmode=disable" }

    var configuration: PostgresConfiguration {
        PostgresConfiguration(conninfo: conninfo, usesPreparedStatements: false)
    }

    func stop() async {
        child.signal(SIGTERM)
        // Waits for nobody; the clients of a server that was killed are gone.
        child.signal(SIGKILL)
        _ = await child.exitCode()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw NeverHappened(description: "no free port: \(errno)") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
