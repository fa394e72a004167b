import FocusCore

/// The time for a device: what its own clock says or what the server's does, whichever is earlier.
///
/// A device cannot know that its clock is wrong, and an event from the future is refused (rule E4): with a clock that
/// is six minutes fast, every event would be refused. A clock that is slow harms nobody, because events are stamped
/// after the greatest time seen (rule E3).
struct DeviceTime: Sendable {
    private static let origin = ContinuousClock.now

    /// The time since a fixed moment in this process's life; it goes on while the machine sleeps.
    static var uptime: Duration { origin.duration(to: .now) }

    /// The server's time, and the uptime at which it was asked for.
    private var heard: (serverTime: Timestamp, asked: Duration)?

    /// - Parameter asked: when Hello was sent. The answer may have been under way for long: a count from its arrival
    ///   may lag behind the server's time, a count from the question is never behind it.
    mutating func observe(_ serverTime: Timestamp, asked: Duration) { heard = (serverTime, asked) }

    /// The latest time that the server's clock can show. Nil: no server has told its time yet.
    func latest(at uptime: Duration) -> Timestamp? {
        heard.map { $0.serverTime.adding(microseconds: (uptime - $0.asked).inMicroseconds) }
    }

    /// - Parameter clock: what the device's own clock says.
    func now(clock: Timestamp, at uptime: Duration) -> Timestamp {
        latest(at: uptime).map { min(clock, $0) } ?? clock
    }
}

extension Duration {
    /// Whole microseconds; 0 for a negative duration.
    var inMicroseconds: Int64 {
        let (seconds, attoseconds) = max(.zero, self).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

/// The server's time in a Welcome beside the device's own: it shows which events were stamped by a clock that was
/// ahead.
public struct ClockReading: Hashable, Sendable {
    /// The server's time, as Welcome says.
    public var serverTime: Timestamp
    /// The latest time that the server's clock can show by now: Welcome took time to arrive.
    public var latest: Timestamp
    /// What the device's clock says.
    public var clock: Timestamp

    public init(serverTime: Timestamp, latest: Timestamp, clock: Timestamp) {
        self.serverTime = serverTime
        self.latest = latest
        self.clock = clock
    }

    /// The time that a queued event gets instead of its own; nil when it keeps its own. No event can have happened
    /// later than now. A later one is moved back by what the device's clock is ahead, or to the present where that does
    /// not suffice, and stays at least 1 µs after the event before it.
    func restamped(_ time: Timestamp, after previous: Timestamp?) -> Timestamp? {
        guard time > latest else { return nil }
        let (ahead, overflow) = clock.microseconds.subtractingReportingOverflow(latest.microseconds)
        let moved = overflow ? latest : min(latest, time.adding(microseconds: -max(0, ahead)))
        return previous.map { max(moved, $0.adding(microseconds: 1)) } ?? moved
    }
}
