import FocusCore
import Foundation
import Testing

@Suite struct TimestampTextTests {
    @Test(
        "R8: times are read to the microsecond, with fractions and offsets",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1),
            ("2010-10-03T09:36:30Z", 1_286_098_590_000_000),
            ("2010-10-03T11:36:30+02:00", 1_286_098_590_000_000), ("2010-10-03T04:06:30-0530", 1_286_098_590_000_000),
            ("2010-10-03T09:36:30", 1_286_098_590_000_000), ("2010-10-03t09:36:30.1z", 1_286_098_590_100_000),
            ("2010-10-03T09:36:30.123456Z", 1_286_098_590_123_456),
            ("2010-10-03T09:36:30.1234564999Z", 1_286_098_590_123_456),
            ("2010-10-03T09:36:30.1234565Z", 1_286_098_590_123_457),
            ("2010-10-03T09:36:30.9999999Z", 1_286_098_591_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000), ("2000-02-29T24:00:00Z", 951_868_800_000_000),
            ("1969-12-31T23:59:59.999999Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59.5Z", 253_402_300_799_500_000),
        ] as [(String, Int64)])
    func times(text: String, microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(
        "R8: what is no time is none",
        arguments: [
            "", "yesterday", "2010-10-03", "2010-10-03T09:36", "2010-13-03T09:36:30Z", "2010-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2010-10-00T00:00:00Z", "2010-10-03T24:00:01Z", "2010-10-03T09:60:30Z",
            "2010-10-03T09:36:61Z", "2010-10-03T09:36:30.Z", "2010-10-03T09:36:30ZZ", "2010-10-03T09:36:30+2",
            "2010-10-03T09:36:30+15:00", "+2010-10-03T09:36:30Z", "2010-1-3T9:36:30Z", "٢٠١٠-10-03T09:36:30Z",
        ])
    func noTimes(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("R8: every day from 1600 to 2400 is the one that the calendar says")
    func everyDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: -135_140, to: 157_000, by: 13) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let text = String(format: "%04d-%02d-%02dT00:00:00Z", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            #expect(Timestamp(rfc3339: text)?.microseconds == Int64(day) * 86_400_000_000, "\(text)")
        }
    }

    @Test(
        "Times are written as RFC 3339, before 1970 and in leap years too",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (1_767_258_000_000_001, "2026-01-01T09:00:00.000001Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (Int64.max, "9223372036854775807 µs"), (Int64.min, "-9223372036854775808 µs"),
        ] as [(Int64, String)])
    func written(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }
}
