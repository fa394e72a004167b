import FocusCore

/// When people are busy: the hours of a week, each with a weight. Turns a share of somebody's activity into a moment.
///
/// Activity runs evenly from 0 to 1; hours with more weight take more of it, so more happens in them.
struct WeekRhythm: Sendable {
    static let hourMicroseconds: Int64 = 3_600_000_000
    /// By local hour of a working day: asleep, commuting, at work, lunch, evening.
    private static let workday = [
        1, 1, 1, 1, 1, 3, 8, 14, 18, 16, 15, 14, 18, 15, 14, 14, 15, 18, 20, 20, 18, 14, 8, 3,
    ]
    /// By local hour of a Saturday or Sunday: later, and calmer.
    private static let weekend = [2, 1, 1, 1, 1, 1, 2, 4, 8, 11, 13, 13, 13, 12, 12, 12, 12, 13, 14, 14, 13, 11, 8, 4]

    let start: Timestamp
    /// The sum of the weights through the end of each hour.
    private let sums: [Int64]

    /// - Parameters:
    ///   - start: when activity begins.
    ///   - utcOffsetHours: how far local clocks are ahead.
    init(start: Timestamp, days: Int, utcOffsetHours: Int) {
        self.start = start
        var (sum, sums): (Int64, [Int64]) = (0, [])
        sums.reserveCapacity(days * 24)
        for hour in 0..<max(1, days) * 24 {
            let moment = start.adding(microseconds: Int64(hour) * Self.hourMicroseconds)
            let local = LocalHour(moment, utcOffsetHours: utcOffsetHours)
            sum += Int64((local.isWeekend ? Self.weekend : Self.workday)[local.hour])
            sums.append(sum)
        }
        self.sums = sums
    }

    /// - Parameter activity: 0 ..< 1.
    func moment(at activity: Double) -> Timestamp {
        let total = sums[sums.count - 1]
        let wanted = min(max(activity, 0), 1) * Double(total)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if Double(sums[middle]) <= wanted { low = middle + 1 } else { high = middle }
        }
        let before = low == 0 ? 0 : sums[low - 1]
        let share = (wanted - Double(before)) / Double(sums[low] - before)
        let within = Int64(min(max(share, 0), 1) * Double(Self.hourMicroseconds - 1))
        return start.adding(microseconds: Int64(low) * Self.hourMicroseconds + within)
    }
}

/// An hour of somebody's day.
struct LocalHour: Sendable {
    /// 0…23.
    let hour: Int
    let isWeekend: Bool
    /// When the local day begins.
    let dayStart: Timestamp

    init(_ time: Timestamp, utcOffsetHours: Int) {
        let offset = Int64(utcOffsetHours) * WeekRhythm.hourMicroseconds
        let day = 24 * WeekRhythm.hourMicroseconds
        let local = time.microseconds + offset
        let days = Self.floor(local, day)
        hour = Int((local - days * day) / WeekRhythm.hourMicroseconds)
        // 1970-01-01 was a Thursday; 0 is Monday.
        let weekday = Int(((days + 3) % 7 + 7) % 7)
        isWeekend = weekday >= 5
        dayStart = Timestamp(microseconds: days * day - offset)
    }

    func at(hour: Int) -> Timestamp { dayStart.adding(microseconds: Int64(hour) * WeekRhythm.hourMicroseconds) }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
