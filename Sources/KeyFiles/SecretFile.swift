import Foundation

/// A file that holds a secret: it never has a moment in which others may read it, and no half of it is ever read.
public enum SecretFile {
    /// Far more than any file of keys has.
    private static let maximumBytes = 1 << 20

    /// The file's text; nil when there is no file.
    public static func read(_ path: String) throws(KeyFileError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path, reason: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += piece[..<count]
            guard bytes.count <= maximumBytes else { throw .unreadable(path, reason: "it is too large for keys") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Makes the file, for its owner's eyes alone (0600). Throws `.exists` when there is one, or a link that leads
    /// nowhere: nothing is ever written through it.
    public static func create(_ path: String, _ text: String) throws(KeyFileError) {
        let building = try write(text, beside: path, owner: nil)
        defer { unlink(building) }
        // Unlike a rename, a link fails when the name is taken.
        guard link(building, path) == 0 else {
            if errno == EEXIST { throw .exists(path) }
            throw .unwritable(path, reason: String(cString: strerror(errno)))
        }
        syncDirectory(of: path)
    }

    /// Puts another text into the file's place, at once and wholly. The file keeps its owner; its mode is 0600.
    public static func replace(_ path: String, _ text: String) throws(KeyFileError) {
        // Where a link leads, so that the link stays.
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var status = stat()
        let owner: (uid_t, gid_t)? = stat(place, &status) == 0 ? (status.st_uid, status.st_gid) : nil
        let building = try write(text, beside: place, owner: owner)
        guard rename(building, place) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(building)
            throw .unwritable(path, reason: reason)
        }
        syncDirectory(of: place)
    }

    /// Writes a new file in the same directory, which is on the disk then.
    /// - Returns: its path.
    private static func write(
        _ text: String, beside path: String, owner: (uid_t, gid_t)?
    ) throws(KeyFileError) -> String {
        let building = "\(path).new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(building, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var isGood = true
        // Only root can give a file away; anybody else's file is their own already.
        if let owner, geteuid() == 0 { isGood = fchown(descriptor, owner.0, owner.1) == 0 }
        var rest = Array(text.utf8)[...]
        while isGood, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { isGood = false }
        }
        guard isGood, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(building)
            throw .unwritable(path, reason: reason)
        }
        return building
    }

    private static func syncDirectory(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
