import Foundation
import Synchronization

/// Keeps a second process, or a second store in this one, out of a store's directory for as long as this object lives.
/// The operating system releases the lock with the process, however the process ends.
final class DirectoryLock: Sendable {
    private let descriptor: Mutex<Int32?>

    init(directory: String) throws(DeviceStoreError) {
        let opened = open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw .cannotOpen(directory: directory, reason: String(cString: strerror(errno)))
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            Foundation.close(opened)
            throw .inUse(directory: directory)
        }
        descriptor = Mutex(opened)
    }

    func release() {
        descriptor.withLock { descriptor in
            guard let opened = descriptor.take() else { return }
            // A process that another thread is about to start has a copy of the descriptor for a moment, and would hold
            // the lock with it. Unlocking releases the lock for both.
            flock(opened, LOCK_UN)
            Foundation.close(opened)
        }
    }

    deinit { release() }
}
