import Foundation
import Synchronization

/// A thread with a name that runs one closure: where blocking work belongs, as the cooperative pool must not block.
public final class PostgresThread: Sendable {
    private let handle: Mutex<pthread_t?>

    /// Starts at once.
    /// - Parameter name: shown by `ps -L` and debuggers; cut to 15 bytes, the kernel's limit.
    /// - Throws: `.insufficientResources` when the system gives no more threads.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(PostgresError) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
                Thread.current.name = String(decoding: start.name.utf8.prefix(15), as: UTF8.self)
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw PostgresError(kind: .insufficientResources, message: "no thread: \(String(cString: strerror(code)))")
        }
        handle = Mutex(thread)
    }

    /// Blocks until the closure has returned. Only the first call waits; never call it on the thread itself.
    public func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }

    deinit {
        // Nobody will join any more: let the system free the thread when it ends.
        if let thread = handle.withLock({ $0 }) { pthread_detach(thread) }
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
