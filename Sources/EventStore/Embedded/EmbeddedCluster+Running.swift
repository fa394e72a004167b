extension EmbeddedCluster {
    /// A cluster that runs, as somebody finds it who is not its focusd.
    public struct Running: Sendable {
        /// The superuser in the database of focusd, over the unix socket.
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
