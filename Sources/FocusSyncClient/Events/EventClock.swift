import FocusCore

/// The device's time for what a person does: never before what the person has seen (rule E3).
///
/// "Seen" are the device's own events, the times that rows carry, and the server's clock at each Welcome.
public struct EventClock: Hashable, Sendable {
    /// The greatest time seen, in microseconds since 1970.
    public private(set) var greatest: Timestamp

    public init(greatest: Timestamp = Timestamp(microseconds: .min)) { self.greatest = greatest }

    public mutating func see(_ time: Timestamp) { greatest = max(greatest, time) }

    /// max(clock, greatest time seen + 1 µs).
    public mutating func stamp(clock: Timestamp) -> Timestamp {
        greatest = max(clock, greatest.adding(microseconds: 1))
        return greatest
    }

    /// Takes note of a time that the caller chose. One that the server will refuse as `clock_skew` (rule E4) is passed
    /// over: it must not drag every later event with it.
    public mutating func note(chosen time: Timestamp, clock: Timestamp) {
        if time <= max(clock, greatest).adding(microseconds: EventLimits.clockSkewMicroseconds) { see(time) }
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
