import Glibc

/// A lock with a condition whose deadlines are those of the monotonic clock. Like `NSCondition`, whose are the wall
/// clock's.
// @unchecked: the two are made for threads, and stay where they are until nobody holds the object any more.
public final class MonotonicCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    public init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        defer { pthread_condattr_destroy(&attributes) }
        let codes = [
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), pthread_mutex_init(mutex, nil),
            pthread_cond_init(condition, &attributes),
        ]
        precondition(codes == [0, 0, 0], "the system has no condition with a monotonic clock")
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    public func lock() { pthread_mutex_lock(mutex) }
    public func unlock() { pthread_mutex_unlock(mutex) }
    public func signal() { pthread_cond_signal(condition) }
    public func broadcast() { pthread_cond_broadcast(condition) }

    public func withLock<T>(_ body: () throws -> T) rethrows -> T {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Lets go of the lock until somebody signals, or for no reason: ask again what was waited for.
    public func wait() { pthread_cond_wait(condition, mutex) }

    /// The same, but no longer than until the deadline.
    /// - Returns: false when that has passed.
    public func wait(until deadline: Deadline) -> Bool {
        var time = deadline.timespec
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }
}
