import Foundation
import Testing

@testable import FocusCore

@Suite struct CivilDateTests {
    @Test("R7: every day from 1590 to 2410 has the date and the ISO week that Foundation's calendar gives")
    func everyDay() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: -138_800 as Int64, to: 160_900, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day, .weekOfYear, .yearForWeekOfYear], from: date)
            let civil = CivilDate(daysSince1970: day)
            try #require(civil.parts.year == Int64(parts.year!) && civil.parts.month == Int64(parts.month!), "\(day)")
            try #require(civil.parts.day == Int64(parts.day!), "\(day)")
            let week = civil.week
            try #require(week.year == Int64(parts.yearForWeekOfYear!) && week.number == Int64(parts.weekOfYear!))
            try #require(CivilDate(year: civil.parts.year, month: civil.parts.month, day: civil.parts.day) == civil)
            try #require(civil.monday <= civil && civil.daysSince1970 - civil.monday.daysSince1970 < 7)
            try #require(civil.firstOfMonth.parts.day == 1 && civil.firstOfMonth.monthText == civil.monthText)
        }
    }

    @Test("R7: the ISO year is that of the week's Thursday")
    func isoYears() {
        let weeks = [
            (2026, 11, 21, "2026-W47"), (2021, 1, 3, "2020-W53"), (2021, 1, 4, "2021-W01"), (2024, 12, 30, "2025-W01"),
            (2018, 12, 31, "2019-W01"), (2017, 1, 1, "2016-W52"), (1970, 1, 1, "1970-W01"),
        ]
        for (year, month, day, text) in weeks {
            #expect(CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)).weekText == text)
        }
    }

    @Test("R7: the day is that of the clock where the route was, to the microsecond")
    func offsets() {
        let midnight = CivilDate(year: 2026, month: 11, day: 21).daysSince1970 * 86_400_000_000
        func day(_ microseconds: Int64, _ offset: Int32) -> String {
            CivilDate(Timestamp(microseconds: midnight + microseconds), utcOffsetSeconds: offset).description
        }
        #expect(day(0, 0) == "2026-11-21" && day(-1, 0) == "2026-11-20")
        #expect(day(0, -1) == "2026-11-20" && day(-1, 1) == "2026-11-21" && day(-1_000_001, 1) == "2026-11-20")
        #expect(day(0, 86_400) == "2026-11-22" && day(0, -86_400) == "2026-11-20")
        #expect(CivilDate(Timestamp(microseconds: -1), utcOffsetSeconds: 0).description == "1969-12-31")
    }

    @Test("R7: no time and no offset traps, and every date is read back")
    func extremes() {
        for time in [Int64.min, -62_167_219_200_000_001, -62_167_219_200_000_000, 253_402_300_800_000_000, .max] {
            for offset in [Int32.min, 0, .max] {
                let date = CivilDate(Timestamp(microseconds: time), utcOffsetSeconds: offset)
                #expect(CivilDate(date.description) == date && date.monday <= date && !date.weekText.isEmpty)
            }
        }
        #expect(CivilDate(Timestamp(microseconds: .max), utcOffsetSeconds: 0).description == "+294247-01-10")
        #expect(CivilDate(year: -1, month: 1, day: 1).description == "-0001-01-01")
        for text in [
            "", "2026-11", "2026-13-01", "2026-02-29", "02026-11-21", "2026-1-1", "+2026-11-21", "a-b-c", "--",
        ] {
            #expect(CivilDate(text) == nil, "\(text)")
        }
    }
}
