/// How an embedded cluster is run. The defaults are for production.
public struct EmbeddedClusterSettings: Sendable {
    /// Where `initdb` and `postgres` are. Nil: `pg_config --bindir`, the newest of `/usr/lib/postgresql/*/bin`, `PATH`;
    /// for an existing cluster the newest of its major version.
    public var binDirectory: String?
    /// The unprivileged user that the server runs as when we are root. Nil: the owner of the existing cluster, else
    /// `postgres`, else `focusd`. Ignored when we are not root.
    public var user: String?
    /// How long a start may take until PostgreSQL recovers or takes connections. A recovery takes as long as it takes.
    public var startTimeout: Duration = .seconds(300)
    /// How long a fast shutdown may take before an immediate one, which the next start recovers from. Short enough for
    /// focusd to end within 10 s of SIGTERM.
    public var stopTimeout: Duration = .seconds(6)
    /// Server settings that win over ours (`["max_connections": "300"]`). For an operator there is also the file
    /// `custom.conf` in the data directory.
    public var overrides: [String: String] = [:]
    /// False runs without `fsync` and full-page writes: killed processes still lose nothing, but a power failure
    /// destroys the cluster.
    /// For tests only.
    public var isDurable = true

    public init() {}
}
