import AdminPort
import Foundation
import KeyFiles
import Logging
import ServiceLifecycle
import SyncServer
import Tokens

/// The services of a server that has its database and its keys.
extension Serve {
    /// Returns after the graceful shutdown.
    /// - Parameter keyFile: where the keys of tokens are from.
    func serve(
        _ configuration: SyncServerConfiguration, _ backend: Backend, _ keys: KeyDirectory.Keys, from keyFile: String,
        _ signals: Signals, _ output: LogOutput, _ logger: Logger
    ) async throws {
        let demands = TokenDemands(issuer: tokenIssuer, audience: tokenAudience)
        let server = try SyncServer(
            configuration: configuration, store: backend.store, direct: backend.direct, log: backend.log,
            tokens: TokenVerifier(keys.tokens, demands), logger: logger)
        let bound = try await server.start()
        let (admin, place) = try await openAdminPort(
            ServerView(
                server: server, restarts: { backend.restarts }, clusterDirectory: backend.clusterDirectory,
                logged: { output.counts }, logger: logger), logger)
        let ready = ReadyLine(text: "focusd ready listen=\(bound)\(place) database=\(backend.label)")
        let watch = KeyWatch(
            file: keyFile, text: keys.tokenText, keys: keys.tokens, demands: demands, server: server, logger: logger)
        let systemd = SystemdNotifier(
            ProcessInfo.processInfo.environment, status: "serves devices on \(bound)", logger: logger
        ) { server.health.hanging }
        let certificates = CertificateWatch(
            files: [tlsCert, tlsKey].compactMap { $0 }, server: server, admin: admin, signals: signals.hangUps,
            systemd: systemd, logger: logger)
        // Services stop from the last to the first.
        let adminService: [any Service] = admin.map { [AdminService(port: $0)] } ?? []
        let services: [any Service] =
            adminService + [
                server, ready, watch, certificates, FloodWatch(output: output),
            ] + (systemd.map { [$0] } ?? [])
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { Self.named($0) } + [Self.named(signals.stops, .gracefullyShutdownGroup)],
                logger: logger))
        Allocator.giveBackUnused(logger)
        signals.stops.started()
        try await group.run()
    }

    /// The group logs services by their names: those that it makes show all that a service holds, keys too.
    /// - Parameter end: what happens when the service has nothing more to do.
    private static func named(
        _ service: any Service, _ end: ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior = .cancelGroup
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        .init(service: service, successTerminationBehavior: end, serviceName: "\(type(of: service))")
    }

    /// Opens the port if it was asked for. If it cannot be opened, the server is stopped.
    /// - Returns: the port, and where it is, for the ready line; nothing when nobody asked for it.
    private func openAdminPort(
        _ view: ServerView, _ logger: Logger
    ) async throws -> (port: AdminPort?, place: String) {
        do {
            guard let configuration = try adminPort.configuration(certificate: tlsCert, key: tlsKey) else {
                return (nil, "")
            }
            let port = try AdminPort(configuration, source: view, logger: logger)
            let address = ListeningAddress(host: configuration.host, port: try await port.start())
            return (port, " admin=\(address)")
        } catch {
            try await view.server.stop()
            throw error
        }
    }
}
