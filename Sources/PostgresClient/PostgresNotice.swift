/// A notice or warning of the server. For logs only.
public struct PostgresNotice: Sendable {
    /// `WARNING`, `NOTICE`, … in English whatever the server's language.
    public let severity: String
    public let sqlState: String
    /// The primary message; it can hold values.
    public let message: String
}
