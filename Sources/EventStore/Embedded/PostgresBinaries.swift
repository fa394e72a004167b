import Foundation

/// An installed PostgreSQL server.
struct PostgresBinaries {
    let directory: String
    /// `15`, `16`, …
    let majorVersion: Int

    var initdb: String { directory + "/initdb" }
    var postgres: String { directory + "/postgres" }
    var createdb: String { directory + "/createdb" }

    /// - Parameters:
    ///   - directory: the only place to look; nil looks everywhere.
    ///   - clusterVersion: content of an existing cluster's `PG_VERSION`; other versions cannot run it.
    static func find(
        in directory: String?, clusterVersion: String?
    ) throws(EmbeddedClusterError) -> PostgresBinaries {
        let candidates = directory.map { [$0] } ?? installed()
        let wanted = clusterVersion.flatMap { Int($0) }
        let found = candidates.compactMap { PostgresBinaries($0) }.filter {
            wanted == nil || $0.majorVersion == wanted
        }
        // The first of the newest: max(by:) would take the last.
        guard let newest = found.map(\.majorVersion).max(),
            let binaries = found.first(where: { $0.majorVersion == newest })
        else { throw .noBinaries(searched: candidates, version: clusterVersion) }
        return binaries
    }

    private init?(_ directory: String) {
        guard access(directory + "/initdb", X_OK) == 0, access(directory + "/postgres", X_OK) == 0,
            let version = Self.output(of: directory + "/postgres", "--version"),
            // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"; a beta is "19beta1".
            let number = version.split(separator: " ").dropFirst(2).first,
            let major = Int(number.prefix { $0.isNumber })
        else { return nil }
        self.directory = directory
        majorVersion = major
    }

    private static func installed() -> [String] {
        var directories: [String] = []
        if let config = Executable.find("pg_config"), let directory = output(of: config, "--bindir") {
            directories.append(directory)
        }
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        directories += versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
        if let postgres = Executable.find("postgres") {
            directories.append((postgres as NSString).deletingLastPathComponent)
        }
        return directories.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Whether WAL can be compressed with LZ4, which costs a fraction of the built-in method's time.
    var hasLZ4: Bool {
        majorVersion >= 15
            && (Self.output(of: directory + "/pg_config", "--configure")?.contains("--with-lz4") ?? false)
    }

    private static func output(of program: String, _ argument: String) -> String? {
        Executable.output(of: [program, argument])
    }
}
