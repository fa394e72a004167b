import FocusSyncClient

extension SyncClientConfiguration {
    /// Of a client that waits for as long as a loaded machine takes: only a failing test meets its limit.
    static func patient(
        port: Int, security: ConnectionSecurity = .plaintext, token: String
    ) -> SyncClientConfiguration {
        var configuration = SyncClientConfiguration(
            server: ServerAddress(host: "127.0.0.1", port: port), security: security, token: token)
        configuration.timeout = .seconds(300)
        return configuration
    }
}
