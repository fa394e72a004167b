import AdminPort
import ArgumentParser

/// The options of the port for machines.
struct AdminOptions: ParsableArguments {
    @Option(
        help: """
            Address and port for machines that watch this server: /livez, /readyz?verbose, /metrics (Prometheus), and \
            /v1/… for operators (focusctl token admin). Over HTTP; on other addresses than loopback over HTTPS, with \
            the server's certificate, and with a token alone. Default: none.
            """)
    var admin: String?
    @Option(
        help: """
            A name of this server that requests to --admin may use beside its address (the Host header), with or \
            without a port. May be given several times.
            """)
    var adminHost: [String] = []

    func validate() throws {
        guard let admin else {
            guard adminHost.isEmpty else { throw ValidationError("--admin-host goes with --admin.") }
            return
        }
        _ = try ListenAddress(admin, option: "--admin")
    }

    /// Nil: no port. Throws `ValidationError` for an address beyond loopback without a certificate.
    func configuration(certificate: String?, key: String?) throws -> AdminConfiguration? {
        guard let admin else { return nil }
        let address = try ListenAddress(admin, option: "--admin")
        var configuration = AdminConfiguration(host: address.host, port: address.port)
        configuration.names = adminHost
        if let certificate, let key { configuration.certificate = (certificate, key) }
        guard configuration.isLoopback || configuration.certificate != nil else {
            throw ValidationError("--admin beyond loopback needs --tls-cert and --tls-key.")
        }
        return configuration
    }
}
