import FocusCore
import Foundation

/// When the summaries of a delivery schedule fall due (rules T3, N16): local times of day in a zone, as instants.
///
/// A local time is reached at the first instant at which the zone's clocks show it or a later one. So one that does not
/// exist on a day (clocks go forward, a day is left out at the date line) comes at the first instant after the gap, and
/// one that exists twice at the first of the two. Later local times are never reached earlier, so the instants have the
/// order of the local times; some may be equal.
///
/// Zone data are those of the program. Two servers may differ, and one may learn better with its next release: what is
/// due is judged again when it is written, and validation lets only one event through.
public struct SummaryClock: Sendable {
    /// False when no zone of that name is known, and UTC stands in for it. A summary at an odd hour is better than
    /// none: the user learns what waits, and a schedule with a known zone replaces this one.
    public let isZoneKnown: Bool
    /// Seconds after local midnight, ascending.
    private let times: [Int64]
    private let zone: TimeZone

    /// - Parameters:
    ///   - times: minutes after local midnight, 0…1,439, ascending.
    ///   - timeZone: a name of the IANA time-zone database.
    public init(times: [Int32], timeZone: String) {
        let known = TimeZone(identifier: timeZone)
        self.times = times.map { Int64($0) * 60 }
        isZoneKnown = known != nil
        zone = known ?? .gmt
    }

    public init(_ schedule: SummarySchedule) {
        self.init(times: schedule.times, timeZone: schedule.timeZone)
    }

    /// The first instant later than `time` at which a summary falls due; nil without times, or outside the years
    /// 1…9999.
    public func first(after time: Timestamp) -> Timestamp? {
        guard let now = Self.seconds(time) else { return nil }
        // Local times up to `local` were reached by now. A later one may have been reached too, before clocks went
        // back.
        let local = now + offset(now)
        for day in Self.day(local)...(Self.day(local) + Self.reach) {
            for time in times where day * Self.daySeconds + time > local {
                let reached = instant(local: day * Self.daySeconds + time)
                if reached > now { return Timestamp(microseconds: reached * 1_000_000) }
            }
        }
        return nil
    }

    /// The last instant not later than `time` at which a summary fell due; nil without times, or outside the years
    /// 1…9999.
    public func latest(upTo time: Timestamp) -> Timestamp? {
        guard let now = Self.seconds(time) else { return nil }
        let day = Self.day(now + offset(now))
        for day in ((day - Self.reach)...(day + Self.reach)).reversed() {
            for time in times.reversed() {
                let reached = instant(local: day * Self.daySeconds + time)
                if reached <= now { return Timestamp(microseconds: reached * 1_000_000) }
            }
        }
        return nil
    }

    // MARK: Local time

    /// The first instant at which clocks show `local` (seconds, as if it were UTC) or later.
    private func instant(local: Int64) -> Int64 {
        // No zone was ever further from UTC than 16 hours, so that instant lies well between these two; and none
        // changed its clocks twice in so short a time.
        var (before, after) = (local - Self.window, local + Self.window)
        let (old, new) = (offset(before), offset(after))
        guard old != new else { return local - old }
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if offset(middle) == old { before = middle } else { after = middle }
        }
        return local - old < after ? local - old : max(after, local - new)
    }

    /// How far clocks are ahead of UTC, in seconds.
    private func offset(_ instant: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
    }

    private static let daySeconds: Int64 = 86_400
    private static let window: Int64 = 26 * 3_600
    /// Days to look at on either side: clocks jump by a day at most, where a zone moves to the date line's other side.
    private static let reach: Int64 = 3
    /// 0001-01-01 and 10000-01-01: what calendars agree on.
    private static let range: Range<Int64> = -62_135_596_800..<253_402_300_800

    private static func seconds(_ time: Timestamp) -> Int64? {
        let seconds = floor(time.microseconds, 1_000_000)
        return range.contains(seconds) ? seconds : nil
    }

    private static func day(_ seconds: Int64) -> Int64 { floor(seconds, daySeconds) }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
