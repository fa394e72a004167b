/// The bounds of one connection (rules W1, W6, P9, L1, L2, L4, G2).
public struct SessionLimits: Hashable, Sendable {
    /// The protocol versions that the server speaks. Version 2 needs a log that may hold the events of rule P10.
    public var protocolVersions: ClosedRange<UInt32> = 1...2
    /// Largest frame before Hello is accepted, and after (rule W1).
    public var frameBytesBeforeHello = 64 * 1024
    public var frameBytes = 1024 * 1024
    /// A connection without Hello within this time is closed (rule W6).
    public var helloMilliseconds: Int64 = 10_000
    /// The time between pings, ± 10 %; a connection that is silent for two intervals is closed (rule L4).
    public var heartbeatMilliseconds: Int64 = 25_000
    /// When the database has been silent for this long, devices are told `unavailable` and wait no longer (rule G2).
    public var unavailableMilliseconds: Int64 = 2_000
    /// Append frames that may wait for their acknowledgement; at this many the server stops reading (rule P9).
    public var unacknowledgedAppends = 64
    /// Bytes that wait to be written to one device; past this many the device is only marked as behind (rule L1).
    public var outgoingBytes = 256 * 1024
    /// A device for which rows wait, and none was written for this long, is a `slow_consumer` (rule L2). Written means
    /// accepted by the kernel, in frames of about `Subscription.pageBytes`.
    public var stalledMilliseconds: Int64 = 30_000
    /// How long before its token ends the device is warned (rule A2).
    public var expiryWarningMilliseconds: Int64 = 60_000
    /// Fetches whose answers have not been written yet; one more is answered `overloaded`.
    public var fetches = 4
    /// Users that one session may watch (rule V1).
    public var watchedUsers = 256
    /// Sessions that a device may begin or renew in a minute; one more is answered `quota_exceeded` (rule Q5).
    public var sessionsPerMinute = 300
    /// Fetches that a device may ask in a minute (rule Q5).
    public var fetchesPerMinute = 600
    /// Resyncs that a device may ask in a minute (rule Q5).
    public var resyncsPerMinute = 60
    /// Users that a device may ask in a minute to watch (rule Q5).
    public var watchedUsersPerMinute = 4_096
    /// Events that a device may append in a day (rule Q5).
    public var eventsPerDay = 200_000
    /// Payload bytes that a device may append in a day (rule Q5).
    public var bytesPerDay = 1 << 30
    /// Events in one append frame.
    public var eventsPerAppend = 1_000
    /// The bounds that GoAway names for reconnecting, in milliseconds (rule L5).
    public var backoffMilliseconds: ClosedRange<UInt32> = 500...5_000

    public init() {}

    /// The bounds for devices that are sent away at the same time (rule L5): half a millisecond for each, so that few
    /// are at another server at once, and many do not all come together. At least 200 ms, at most
    /// `backoffMilliseconds`.
    public func backoffMilliseconds(together count: Int) -> ClosedRange<UInt32> {
        let (least, most) = (backoffMilliseconds.lowerBound, backoffMilliseconds.upperBound)
        let upper = min(max(UInt32(clamping: count / 2), 200), most)
        return min(upper / 10, least)...upper
    }
}

/// Milliseconds of a clock that never goes back; only differences mean something.
public struct MonotonicTime: Hashable, Sendable, Comparable {
    public let milliseconds: Int64
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
    public func adding(milliseconds delta: Int64) -> Self { Self(milliseconds: milliseconds + delta) }
    public static func - (a: Self, b: Self) -> Int64 { a.milliseconds - b.milliseconds }
}
