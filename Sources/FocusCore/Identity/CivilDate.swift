/// A day of the proleptic Gregorian calendar (ISO 8601), without time and zone. It has its own arithmetic, because
/// Foundation's calendars read the machine's settings.
public struct CivilDate: Hashable, Sendable, Comparable {
    /// 0 is 1970-01-01, a Thursday.
    public let daysSince1970: Int64

    public init(daysSince1970: Int64) { self.daysSince1970 = daysSince1970 }

    /// The day on which `time` is where clocks are `utcOffsetSeconds` east of UTC.
    public init(_ time: Timestamp, utcOffsetSeconds: Int32) {
        let seconds = Self.floor(time.microseconds, 1_000_000) + Int64(utcOffsetSeconds)
        daysSince1970 = Self.floor(seconds, 86_400)
    }

    /// - Parameters:
    ///   - year: astronomical: year 0 is 1 BC.
    ///   - month: 1 … 12.
    ///   - day: 1 … 31. One that the month does not have is a day of the next month.
    public init(year: Int64, month: Int64, day: Int64) {
        // Years from March, so that the leap day is a year's last.
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        let leapDays = Self.floor(years, 4) - Self.floor(years, 100) + Self.floor(years, 400)
        daysSince1970 = years * 365 + leapDays + (months * 153 + 2) / 5 + day - 719_469
    }

    public var parts: (year: Int64, month: Int64, day: Int64) {
        // Counted in eras of 400 years from March of year 0.
        let shifted = daysSince1970 + 719_468
        let era = Self.floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let months = (5 * dayOfYear + 2) / 153
        let month = months < 10 ? months + 3 : months - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * months + 2) / 5 + 1)
    }

    public var firstOfMonth: CivilDate {
        let (year, month, _) = parts
        return CivilDate(year: year, month: month, day: 1)
    }

    /// The Monday of its ISO week.
    public var monday: CivilDate {
        // 1970-01-01 was a Thursday, three days after a Monday.
        let weeks = Self.floor(daysSince1970 + 3, 7)
        return CivilDate(daysSince1970: weeks * 7 - 3)
    }

    /// The ISO week: 1 … 53, and the year that it counts in, which is that of its Thursday.
    public var week: (year: Int64, number: Int64) {
        let thursday = monday.daysSince1970 + 3
        let year = CivilDate(daysSince1970: thursday).parts.year
        let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
        return (year, (thursday - newYear) / 7 + 1)
    }

    public static func < (a: Self, b: Self) -> Bool { a.daysSince1970 < b.daysSince1970 }

    private static func floor(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -1 - (-1 - a) / b }
}

extension CivilDate: CustomStringConvertible {
    /// `2026-11-21`. Years outside 0000 … 9999 carry a sign, as ISO 8601 has it: `+12026-11-21`.
    public var description: String {
        let (year, month, day) = parts
        return "\(Self.text(year: year))-\(Self.pad(month, 2))-\(Self.pad(day, 2))"
    }

    /// Reads `description`; nil for anything else.
    init?(_ text: String) {
        let isSigned = text.utf8.first == UInt8(ascii: "+") || text.utf8.first == UInt8(ascii: "-")
        let numbers = (isSigned ? text.dropFirst() : text[...]).split(separator: "-", omittingEmptySubsequences: false)
            .map { Int64($0) }
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (0...1_000_000).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        self.init(year: text.utf8.first == UInt8(ascii: "-") ? -year : year, month: month, day: day)
        guard description == text else { return nil }
    }

    /// `2026-11`.
    public var monthText: String {
        let (year, month, _) = parts
        return "\(Self.text(year: year))-\(Self.pad(month, 2))"
    }

    /// `2026-W47`.
    public var weekText: String {
        let week = week
        return "\(Self.text(year: week.year))-W\(Self.pad(week.number, 2))"
    }

    private static func text(year: Int64) -> String {
        (0...9_999).contains(year) ? pad(year, 4) : (year < 0 ? "-" : "+") + pad(abs(year), 4)
    }

    private static func pad(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
