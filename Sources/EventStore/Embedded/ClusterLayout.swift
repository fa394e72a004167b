import Foundation

/// Where the parts of an embedded cluster are.
struct ClusterLayout {
    /// Absolute, without symbolic links.
    let dataDirectory: String
    let socketDirectory: String

    /// PostgreSQL's own directory (`PGDATA`).
    var cluster: String { dataDirectory + "/postgres" }
    var versionFile: String { cluster + "/PG_VERSION" }
    var postmasterFile: String { cluster + "/postmaster.pid" }
    var lockFile: String { dataDirectory + "/focusd.lock" }
    var log: String { dataDirectory + "/postgres.log" }
    /// PostgreSQL's mark that somebody listens on the socket.
    var socketLock: String { "\(socketDirectory)/.s.PGSQL.\(Self.port).lock" }
    /// The operator's settings, which the server reads last.
    var customConfiguration: String { dataDirectory + "/custom.conf" }

    static let port = 5432
    /// `sockaddr_un.sun_path` is 108 bytes with its NUL.
    static let longestSocketPath = 107

    /// `dataDirectory` must exist.
    init(dataDirectory: String) throws(EmbeddedClusterError) {
        guard let path = realpath(dataDirectory, nil) else {
            throw .unusableDirectory(dataDirectory, reason: String(cString: strerror(errno)))
        }
        defer { free(path) }
        self.dataDirectory = String(cString: path)
        let near = self.dataDirectory + "/socket"
        socketDirectory = Self.isUsableForSocket(near) ? near : Self.shortDirectory(for: self.dataDirectory)
    }

    /// Whether the socket's path is short enough and consists of plain characters alone, none of which libpq or
    /// `unix_socket_directories` takes for a separator or needs quoted.
    static func isUsableForSocket(_ directory: String) -> Bool {
        directory.utf8.count + "/.s.PGSQL.\(port)".utf8.count <= longestSocketPath
            && directory.unicodeScalars.allSatisfy { plain.contains($0) }
    }

    /// A directory of our own elsewhere, always the same for a data directory. Only root can make one in `/run`; in
    /// other places `ClusterOwner.makePrivateDirectory` checks that nobody else made it.
    private static func shortDirectory(for dataDirectory: String) -> String {
        let name = "focusd-" + String(fnv1a(dataDirectory), radix: 36)
        if geteuid() == 0 { return "/run/" + name }
        let runtime = "/run/user/\(geteuid())"
        return (access(runtime, W_OK) == 0 ? runtime : "/tmp") + "/\(name)"
    }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-")

    /// FNV-1a, 64 bits: only to be short and stable, not secret.
    private static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
