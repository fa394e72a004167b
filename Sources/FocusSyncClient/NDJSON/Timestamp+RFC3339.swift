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
        let (year, month, day) = CivilDate(daysSince1970: (seconds - ofDay) / 86_400).parts
        guard (0...9_999).contains(year) else { return "\(microseconds) µs" }
        return "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(day, 2))T"
            + "\(Self.pad(ofDay / 3_600, 2)):\(Self.pad(ofDay / 60 % 60, 2)):\(Self.pad(ofDay % 60, 2))"
            + ".\(Self.pad(fraction, 6))Z"
    }

    /// Reads a time as RFC 3339 writes it, or nearly so: with a fraction of any length (rounded to microseconds), and
    /// with an offset or no zone, which means UTC. Nil for anything else.
    public init?(rfc3339 text: String) {
        guard let time = GPXTime.timestamp(text) else { return nil }
        self = time
    }

    private static func pad(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
