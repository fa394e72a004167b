import Foundation
import PostgresClient

extension ClusterLauncher {
    /// Makes the cluster if there is none. It is built beside its place and renamed, so that it is there whole or not
    /// at all.
    func initialize() throws(EmbeddedClusterError) {
        guard access(layout.versionFile, F_OK) != 0 else { return }
        let mark = "postgres.initializing."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.dataDirectory)) ?? []
        for name in names where name.hasPrefix(mark) {
            try? FileManager.default.removeItem(atPath: "\(layout.dataDirectory)/\(name)")
        }
        let binaries = try PostgresBinaries.find(in: settings.binDirectory, clusterVersion: nil)
        let building = "\(layout.dataDirectory)/\(mark)\(getpid())"
        try owner.makePrivateDirectory(building)
        let command =
            try owner.prefix() + [
                binaries.initdb, "--pgdata=\(building)", "--username=\(EmbeddedCluster.role)", "--encoding=UTF8",
                "--locale=C", "--data-checksums", "--auth=trust", "--no-instructions",
            ] + (settings.isDurable ? [] : ["--no-sync"])
        try Executable.run(command, log: layout.log, timeout: settings.startTimeout)
        guard rename(building, layout.cluster) == 0 else {
            throw .unusableDirectory(layout.cluster, reason: String(cString: strerror(errno)))
        }
        if settings.isDurable { Self.sync(directory: layout.dataDirectory) }
    }

    /// Makes the database if the cluster is new or its first start was cut short.
    func makeDatabase(_ postmaster: Postmaster) throws(EmbeddedClusterError) {
        let conninfo = postmaster.conninfo(database: EmbeddedCluster.database, role: EmbeddedCluster.role)
        do throws(PostgresError) {
            try PostgresConnection(PostgresConfiguration(conninfo: conninfo)).close()
        } catch {
            guard error.sqlState == "3D000" else { throw .database(error) }
            try Executable.run(
                [
                    try binaries().createdb, "--host=\(postmaster.socketDirectory)", "--port=\(postmaster.port)",
                    "--username=\(EmbeddedCluster.role)", "--template=template0", EmbeddedCluster.database,
                ], log: layout.log, timeout: settings.startTimeout)
        }
    }

    private static func sync(directory: String) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
