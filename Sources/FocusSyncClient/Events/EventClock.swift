import FocusCore

/// The device's time for what a person does: never before what they have seen (rule E3).
///
/// A device has "seen" its own events, the times that rows carry, and the server's clock at each Welcome.
public struct EventClock: Hashable, Sendable {
    /// The greatest time seen, in microseconds since 1970.
    public private(set) var greatest: Timestamp

    public init(greatest: Timestamp = Timestamp(microseconds: .min)) { self.greatest = greatest }

    /// Moves the greatest time seen on to `time`, if that is later.
    public mutating func observe(_ time: Timestamp) { greatest = max(greatest, time) }

    /// Takes the server's clock at a Welcome into account.
    ///
    /// Nobody can have seen a time that is further ahead of the server than rule E4 allows: this device's clock was
    /// wrong when it stamped such an event, and with that stamp every later event would be refused. So the greatest
    /// time goes back to the server's then, and also where it is the stamp of an event that was restamped.
    /// - Parameters:
    ///   - wrong: the greatest stamp that was replaced.
    ///   - last: the stamp that the last queued event has now.
    mutating func observe(_ reading: ClockReading, restamped wrong: Timestamp?, to last: Timestamp?) {
        let limit = reading.serverTime.adding(microseconds: EventLimits.clockSkewMicroseconds)
        if greatest > limit || greatest == wrong { greatest = reading.serverTime }
        observe(reading.serverTime)
        if wrong != nil, let last { observe(last) }
    }

    /// The stamp of a new event: max(clock, greatest time seen + 1 µs) (rule E3).
    public mutating func stamp(clock: Timestamp) -> Timestamp {
        greatest = max(clock, greatest.adding(microseconds: 1))
        return greatest
    }

    /// Observes a time that the caller chose, unless the server will refuse it as `clock_skew` (rule E4): every later
    /// event would be refused with it. The bound is counted from the clock alone, so that one chosen time does not make room
    /// for the next.
    public mutating func observe(chosen time: Timestamp, clock: Timestamp) {
        if time <= clock.adding(microseconds: EventLimits.clockSkewMicroseconds) { observe(time) }
    }
}

extension DeltaRow {
    /// The time of the stamp that the row shows; nil: it shows none.
    var seenTime: Timestamp? {
        guard key.collection == .notifications, let value else { return nil }
        // A row of a later server, which this library cannot read, counts as showing no time.
        return try? NotificationRow(decoding: value).postedAt
    }
}
