import FocusCore

extension Timestamp {
    /// `2026-01-01T09:00:00.000001Z` (RFC 3339), always with six digits, so that texts sort as times do. Years outside
    /// 0000–9999 are written as a count of microseconds.
    public var rfc3339: String {
        let micros = microseconds % 1_000_000
        let fraction = micros < 0 ? micros + 1_000_000 : micros
        let seconds = microseconds / 1_000_000 - (micros < 0 ? 1 : 0)
        let second = seconds % 86_400
        let ofDay = second < 0 ? second + 86_400 : second
        let (year, month, day) = Self.date(daysSince1970: (seconds - ofDay) / 86_400)
        guard (0...9_999).contains(year) else { return "\(microseconds) µs" }
        return "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(day, 2))T"
            + "\(Self.pad(ofDay / 3_600, 2)):\(Self.pad(ofDay / 60 % 60, 2)):\(Self.pad(ofDay % 60, 2))"
            + ".\(Self.pad(fraction, 6))Z"
    }

    /// The proleptic Gregorian date, counted in eras of 400 years from March of year 0.
    private static func date(daysSince1970 days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func pad(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
