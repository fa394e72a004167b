import Foundation

/// How many files the process may have open: each connection is one.
enum OpenFiles {
    /// Files beside the connections of devices: of the database, its logs, the listener, and of connections that are
    /// accepted only to be sent away.
    static let reserve = 128
    /// A server that can serve fewer connections does not start.
    static let fewestConnections = 64

    /// Raises the soft limit to the hard one.
    /// - Returns: the limit that holds then.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The limit that holds now; 0 when the system does not say.
    static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections there may be. Throws `TooFewFiles`.
    /// - Parameters:
    ///   - asked: by the operator; nil: `usual`, or as many as the limit allows.
    ///   - limit: of open files.
    static func connections(asked: Int?, usual: Int, limit: Int) throws -> Int {
        let connections = asked ?? min(usual, limit - reserve)
        guard connections >= min(fewestConnections, asked ?? .max), connections <= limit - reserve else {
            throw TooFewFiles(limit: limit, needed: max(connections, fewestConnections) + reserve)
        }
        return connections
    }
}

/// The process may not open files enough.
struct TooFewFiles: Error, CustomStringConvertible {
    let limit: Int
    let needed: Int
    var description: String {
        """
        The process may open \(limit) files, and needs \(needed): raise the hard limit (ulimit -n, LimitNOFILE= of a \
        service), or let fewer connections in (--connections).
        """
    }
}
