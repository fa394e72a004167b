import Dispatch

/// Runs a client's actor on a queue of its own: the store blocks on the disk, and must not block Swift's cooperative
/// threads.
final class ClientExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "focus-sync.client")

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { unowned.runSynchronously(on: executor) }
    }
}
