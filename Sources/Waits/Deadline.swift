import Glibc

/// A moment to wait for, by the monotonic clock, which nobody sets.
///
/// The waits of Foundation and Dispatch end at a moment of the wall clock: when that is set back by an hour, a wait for
/// a second takes an hour. Here everything counts by CLOCK_MONOTONIC.
public struct Deadline: Hashable, Sendable, Comparable {
    /// The reading of CLOCK_MONOTONIC, in nanoseconds.
    private let nanoseconds: UInt64

    /// The longest wait, in seconds: a century. Longer ones are cut to it.
    private static let longest = 3_155_760_000.0

    private init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// A moment long past: a wait for it ends at once.
    public static let passed = Deadline(nanoseconds: 0)

    public static var now: Deadline {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Deadline(nanoseconds: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(max(0, time.tv_nsec)))
    }

    /// - Parameter seconds: how far ahead, at most a century; zero, negative numbers and NaN give this moment.
    public static func after(seconds: Double) -> Deadline {
        guard seconds > 0 else { return now }
        return Deadline(nanoseconds: now.nanoseconds + UInt64(min(seconds, longest) * 1e9))
    }

    public var isPassed: Bool { self <= .now }

    public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The moment as an absolute time of CLOCK_MONOTONIC.
    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// Blocks the thread until the moment has come.
    public func sleep() {
        var time = timespec
        // A signal ends the sleep early. The time is absolute, so sleeping again does not prolong it.
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
