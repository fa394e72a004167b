extension EmbeddedCluster {
    /// A running cluster, as a process that is not its focusd finds it.
    public struct Running: Sendable {
        /// Connects as the superuser to focusd's database, over the unix socket.
        public let conninfo: String
        public let postmasterPID: Int32
        private let postmaster: Postmaster

        init(_ postmaster: Postmaster) {
            self.postmaster = postmaster
            (conninfo, postmasterPID) = (postmaster.conninfo(database: database, role: role), postmaster.pid)
        }

        /// Connects as another role to the same database.
        public func conninfo(role: String) -> String { postmaster.conninfo(database: database, role: role) }
    }

    /// The server that runs in `dataDirectory`, if there is one; touches nothing.
    public static func running(dataDirectory: String) throws(EmbeddedClusterError) -> Running? {
        guard let postmaster = Postmaster.running(in: try ClusterLayout(dataDirectory: dataDirectory)) else {
            return nil
        }
        return Running(postmaster)
    }
}
