import AdminPort
import ServiceLifecycle

/// Keeps the port for machines open until everything else has stopped: whoever watches the server is told meanwhile
/// that it stops.
struct AdminService: Service {
    let port: AdminPort

    func run() async throws {
        try await gracefulShutdown()
        try await port.stop()
    }
}
