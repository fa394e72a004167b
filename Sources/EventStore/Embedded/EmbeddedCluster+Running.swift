extension EmbeddedCluster {
    /// A running cluster, as a process that is not its focusd finds it.
    public struct Running: Sendable {
        /// Connects as the superuser to focusd's database, over the unix socket.
        public let conninfo: String
        public let postmasterPID: Int32
    }

    /// The server that runs in `dataDirectory`, if there is one; touches nothing.
    public static func running(dataDirectory: String) throws(EmbeddedClusterError) -> Running? {
        guard let postmaster = Postmaster.running(in: try ClusterLayout(dataDirectory: dataDirectory)) else {
            return nil
        }
        return Running(
            conninfo: postmaster.conninfo(database: database, role: role), postmasterPID: postmaster.pid)
    }
}
