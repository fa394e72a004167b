import FocusCore

/// What time it is for a device: what its own clock says or what the server's does, whichever is earlier.
///
/// A device cannot know that its clock is wrong, and an event from the future is refused (rule E4): a clock that is six
/// minutes fast would have every event refused for as long as it is. A clock that is slow harms nobody: the greatest
/// time seen goes first (rule E3).
struct DeviceTime: Sendable {
    private static let origin = ContinuousClock.now

    /// Since some moment in this process's life, also while the machine sleeps.
    static var uptime: Duration { origin.duration(to: .now) }

    /// The server's time, and when it was asked for.
    private var heard: (serverTime: Timestamp, asked: Duration)?

    /// - Parameter asked: when Hello went out. The answer may have been long under way, so the server's time may be
    ///   later now than what counts on from its arrival: counted from the question it is never earlier than in truth.
    mutating func hear(_ serverTime: Timestamp, asked: Duration) { heard = (serverTime, asked) }

    /// The latest that it can be by the server's clock. Nil: no server was heard yet.
    func latest(at uptime: Duration) -> Timestamp? {
        heard.map { $0.serverTime.adding(microseconds: (uptime - $0.asked).inMicroseconds) }
    }

    /// - Parameter clock: what the device's own clock says.
    func now(clock: Timestamp, at uptime: Duration) -> Timestamp {
        latest(at: uptime).map { min(clock, $0) } ?? clock
    }
}

extension Duration {
    /// None when negative.
    fileprivate var inMicroseconds: Int64 {
        let (seconds, attoseconds) = max(.zero, self).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

/// A Welcome's time beside the device's own: what is right about events that were stamped before it.
public struct ClockReading: Hashable, Sendable {
    /// The server's time, as Welcome says.
    public var serverTime: Timestamp
    /// The latest that it can be by now: Welcome was on its way.
    public var latest: Timestamp
    /// What the device's clock says.
    public var clock: Timestamp

    public init(serverTime: Timestamp, latest: Timestamp, clock: Timestamp) {
        self.serverTime = serverTime
        self.latest = latest
        self.clock = clock
    }

    /// A queued event's time, if it has to be another: nobody can have stamped it later than it is now. It moves by
    /// what the clock is ahead, or to the present where that does not explain it, and stays behind the one before it.
    func restamped(_ time: Timestamp, after previous: Timestamp?) -> Timestamp? {
        guard time > latest else { return nil }
        let (ahead, overflow) = clock.microseconds.subtractingReportingOverflow(latest.microseconds)
        let moved = overflow ? latest : min(latest, time.adding(microseconds: -max(0, ahead)))
        return previous.map { max(moved, $0.adding(microseconds: 1)) } ?? moved
    }
}
