import Glibc

/// A moment to wait for, by the clock that nobody sets.
///
/// The waits of Foundation and Dispatch end at a moment of the wall clock: when that is set back by an hour, whoever
/// was to wait for a second waits for an hour. Here everything counts by CLOCK_MONOTONIC.
public struct Deadline: Hashable, Sendable, Comparable {
    /// Of CLOCK_MONOTONIC.
    private let nanoseconds: UInt64

    /// Longer waits are this long: a century.
    private static let longest = 3_155_760_000.0

    private init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Passed long ago: nobody waits.
    public static let passed = Deadline(nanoseconds: 0)

    public static var now: Deadline {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Deadline(nanoseconds: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(max(0, time.tv_nsec)))
    }

    /// - Parameter seconds: from now; what is no length of time is none.
    public static func after(seconds: Double) -> Deadline {
        guard seconds > 0 else { return now }
        return Deadline(nanoseconds: now.nanoseconds + UInt64(min(seconds, longest) * 1e9))
    }

    public var isPassed: Bool { self <= .now }

    public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// Blocks until then.
    public func sleep() {
        var time = timespec
        // A signal wakes early; the moment stays where it is.
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
