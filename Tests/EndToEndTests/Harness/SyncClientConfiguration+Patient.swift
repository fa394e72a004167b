import FocusSyncClient

extension SyncClientConfiguration {
    /// The configuration of a client that waits as long as a loaded machine may take; only a failing test reaches the
    /// limit.
    static func patient(
        port: Int, security: ConnectionSecurity = .plaintext, token: String
    ) -> SyncClientConfiguration {
        var configuration = SyncClientConfiguration(
            server: ServerAddress(host: "127.0.0.1", port: port), security: security, token: token)
        configuration.timeout = .seconds(300)
        return configuration
    }
}
