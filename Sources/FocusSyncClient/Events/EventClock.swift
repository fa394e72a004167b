import FocusCore

/// The device's time for what a person does: never before what the person has seen (rule E3).
///
/// "Seen" are the device's own events, the times that rows carry, and the server's clock at each Welcome.
public struct EventClock: Hashable, Sendable {
    /// The greatest time seen, in microseconds since 1970.
    public private(set) var greatest: Timestamp

    public init(greatest: Timestamp = Timestamp(microseconds: .min)) { self.greatest = greatest }

    public mutating func see(_ time: Timestamp) { greatest = max(greatest, time) }

    /// Takes note of the server's clock at a Welcome.
    ///
    /// Nobody can have seen a time that is further ahead of it than rule E4 lets pass: this device's clock was wrong
    /// when it stamped such an event, and every later one would be refused with it. The same where the greatest is the
    /// stamp of an event that has another now.
    /// - Parameters:
    ///   - wrong: the greatest of the stamps that were given up.
    ///   - last: the last stamp that queued events have now.
    mutating func see(_ reading: ClockReading, restamped wrong: Timestamp?, to last: Timestamp?) {
        let limit = reading.serverTime.adding(microseconds: EventLimits.clockSkewMicroseconds)
        if greatest > limit || greatest == wrong { greatest = reading.serverTime }
        see(reading.serverTime)
        if wrong != nil, let last { see(last) }
    }

    /// max(clock, greatest time seen + 1 µs).
    public mutating func stamp(clock: Timestamp) -> Timestamp {
        greatest = max(clock, greatest.adding(microseconds: 1))
        return greatest
    }

    /// Takes note of a time that the caller chose. One that the server will refuse as `clock_skew` (rule E4) is passed
    /// over: it must not drag every later event with it. Compared with the clock alone, so that one chosen time does
    /// not make room for the next.
    public mutating func note(chosen time: Timestamp, clock: Timestamp) {
        if time <= clock.adding(microseconds: EventLimits.clockSkewMicroseconds) { see(time) }
    }
}

extension DeltaRow {
    /// The time of a stamp that the row shows, if it shows one.
    var seenTime: Timestamp? {
        guard key.collection == .notifications, let value else { return nil }
        // A row that this library cannot read shows it nothing.
        return try? NotificationRow(decoding: value).postedAt
    }
}
