import Foundation

/// The user that the server runs as. PostgreSQL refuses root.
struct ClusterOwner {
    let name: String
    let uid: uid_t
    let gid: gid_t
    /// True when we are root and the server must not be.
    let isOther: Bool

    /// - Parameter cluster: `PGDATA`. Its owner stays its owner; while it is not there, the owner of the directory that it
    ///   is made in becomes it, unless that is root or `preferred` is given.
    init(preferred: String?, cluster: String) throws(EmbeddedClusterError) {
        let me = geteuid()
        var status = stat()
        let existing = stat(cluster, &status) == 0 ? status.st_uid : nil
        guard me == 0 else {
            if let existing, existing != me {
                throw .unusableDirectory(cluster, reason: "it belongs to user id \(existing), and we are \(me)")
            }
            self.init(name: String(me), uid: me, gid: getegid(), isOther: false)
            return
        }
        let names = preferred.map { [$0] } ?? ["postgres", "focusd"]
        let holder = (cluster as NSString).deletingLastPathComponent
        let inherited = preferred == nil && stat(holder, &status) == 0 ? status.st_uid : 0
        let entry =
            [existing ?? 0, inherited].lazy.filter { $0 != 0 }.compactMap { getpwuid($0) }.first
            ?? names.lazy.compactMap { getpwnam($0) }.first
        guard let entry, entry.pointee.pw_uid != 0 else { throw .noUser(names.joined(separator: " or ")) }
        self.init(
            name: String(cString: entry.pointee.pw_name), uid: entry.pointee.pw_uid, gid: entry.pointee.pw_gid,
            isOther: true)
    }

    private init(name: String, uid: uid_t, gid: gid_t, isOther: Bool) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.isOther = isOther
    }

    /// The words that go before a command so that it runs as this user, under its own process id. Empty when no change
    /// is needed.
    func prefix() throws(EmbeddedClusterError) -> [String] {
        guard isOther else { return [] }
        if let setpriv = Executable.find("setpriv") {
            return [setpriv, "--reuid=\(uid)", "--regid=\(gid)", "--init-groups", "--"]
        }
        if let runuser = Executable.find("runuser") { return [runuser, "-u", name, "--"] }
        throw .failed("neither setpriv nor runuser is installed (Debian: apt install util-linux)", log: "")
    }

    /// Makes a directory that only this user can enter, or checks that an existing one is such.
    func makePrivateDirectory(_ path: String) throws(EmbeddedClusterError) {
        if mkdir(path, 0o700) == 0 {
            try own(path)
            return
        }
        guard errno == EEXIST else { throw .unusableDirectory(path, reason: String(cString: strerror(errno))) }
        var status = stat()
        // lstat: in /tmp anybody could have put a link there.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == uid,
            status.st_mode & 0o077 == 0
        else { throw .unusableDirectory(path, reason: "it is not a private directory of user \(name)") }
    }

    func own(_ path: String) throws(EmbeddedClusterError) {
        guard isOther else { return }
        guard lchown(path, uid, gid) == 0 else {
            throw .unusableDirectory(path, reason: String(cString: strerror(errno)))
        }
    }

    /// Checks that the user may pass every directory down to `path`; the server's own message would not say which.
    func requireReachable(_ path: String) throws(EmbeddedClusterError) {
        guard isOther else { return }
        var directory = path
        while true {
            var status = stat()
            guard stat(directory, &status) == 0 else {
                throw .unusableDirectory(directory, reason: String(cString: strerror(errno)))
            }
            let bit: mode_t = status.st_uid == uid ? 0o100 : status.st_gid == gid ? 0o010 : 0o001
            guard status.st_mode & bit != 0 else {
                throw .unusableDirectory(
                    path, reason: "user \(name), which runs PostgreSQL, cannot pass \(directory); choose another place")
            }
            if directory == "/" { return }
            directory = (directory as NSString).deletingLastPathComponent
        }
    }
}
