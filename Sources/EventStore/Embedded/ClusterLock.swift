import Foundation

/// Keeps a second focusd off the data directory: an flock'ed file that holds our process id. The kernel frees it when
/// we end, however we end; the server does not inherit it.
final class ClusterLock: Sendable {
    private let descriptor: Int32

    init(_ layout: ClusterLayout, owner: ClusterOwner) throws(EmbeddedClusterError) {
        let descriptor = open(layout.lockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .unusableDirectory(layout.dataDirectory, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var text = [UInt8](repeating: 0, count: 16)
            let count = pread(descriptor, &text, text.count, 0)
            close(descriptor)
            let pid = Int32(String(decoding: text.prefix(max(0, count)), as: UTF8.self).filter(\.isNumber))
            throw .alreadyRunning(dataDirectory: layout.dataDirectory, pid: pid)
        }
        // Later the same directory may be served by the owner itself instead of root.
        if owner.isOther { fchown(descriptor, owner.uid, owner.gid) }
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.count, 0)
        self.descriptor = descriptor
    }

    deinit {
        // It is unlocked explicitly: a process that is being started has a copy of the descriptor for a moment, so
        // closing ours would not be enough.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
