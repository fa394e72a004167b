import Glibc

/// A lock with a condition, like `NSCondition`, but with deadlines of the monotonic clock instead of the wall clock.
// @unchecked: the mutex and the condition are made for several threads, and stay at their addresses until deinit.
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

    /// Releases the lock until a signal comes. It may also return without one: the caller checks its condition again.
    public func wait() { pthread_cond_wait(condition, mutex) }

    /// Waits like `wait()`, but no longer than until the deadline.
    /// - Returns: false when the deadline has passed.
    public func wait(until deadline: Deadline) -> Bool {
        // For a moment that has passed the kernel sets a timer too, and the thread sleeps until it rings: 50 µs.
        guard !deadline.isPassed else { return false }
        var time = deadline.timespec
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }
}
