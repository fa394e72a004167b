import EventStore
import FocusCore
import Foundation
import Support
import Testing

@Suite("SummaryClock: local times as instants") struct SummaryClockTests {
    /// The first `count` instants after `start`; checks that each is the latest one at its own moment.
    private func instants(_ clock: SummaryClock, after start: String, _ count: Int) throws -> [String] {
        var found: [String] = []
        var time = try Timestamp(iso: start)
        for _ in 0..<count {
            time = try #require(clock.first(after: time))
            found.append(time.iso)
            #expect(clock.latest(upTo: time) == time)
        }
        return found
    }

    @Test("T3: a local time that does not exist fires at the first instant after (Zurich, 2026-03-29)")
    func gap() throws {
        let clock = SummaryClock(times: [150], timeZone: "Europe/Zurich")
        #expect(
            try instants(clock, after: "2026-03-27T12:00:00Z", 3) == [
                "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z",
            ])
        // All local times inside the gap fire together, at the gap's end.
        let many = SummaryClock(times: [119, 120, 150, 179, 180, 181], timeZone: "Europe/Zurich")
        #expect(
            try instants(many, after: "2026-03-29T00:00:00Z", 3) == [
                "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:01:00Z",
            ])
    }

    @Test("T3: a local time that exists twice fires at the first of the two, once (Zurich, 2026-10-25)")
    func overlap() throws {
        let clock = SummaryClock(times: [150], timeZone: "Europe/Zurich")
        #expect(
            try instants(clock, after: "2026-10-24T12:00:00Z", 2) == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
        // 02:15 and 02:45 in the repeated hour: 02:30 has fired in the first one and does not fire again.
        for now in ["2026-10-25T01:15:00Z", "2026-10-25T01:45:00Z"] {
            #expect(clock.latest(upTo: try Timestamp(iso: now))?.iso == "2026-10-25T00:30:00Z")
            #expect(clock.first(after: try Timestamp(iso: now))?.iso == "2026-10-26T01:30:00Z")
        }
        // 03:00 exists once, after the repeated hour.
        let end = SummaryClock(times: [180], timeZone: "Europe/Zurich")
        #expect(try instants(end, after: "2026-10-24T12:00:00Z", 1) == ["2026-10-25T02:00:00Z"])
    }

    @Test("T3: clocks that move by half an hour (Lord Howe)")
    func halfHour() throws {
        let spring = SummaryClock(times: [135], timeZone: "Australia/Lord_Howe")
        #expect(
            try instants(spring, after: "2026-10-02T16:00:00Z", 2) == ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"])
        let autumn = SummaryClock(times: [105], timeZone: "Australia/Lord_Howe")
        #expect(
            try instants(autumn, after: "2026-04-04T00:00:00Z", 2) == ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"])
    }

    @Test("T3: a day that a zone leaves out at the date line: its times fire at the first instant after (Apia)")
    func leftOutDay() throws {
        let clock = SummaryClock(times: [480, 1_200], timeZone: "Pacific/Apia")
        #expect(
            try instants(clock, after: "2011-12-29T12:00:00Z", 5) == [
                "2011-12-29T18:00:00Z", "2011-12-30T06:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T18:00:00Z",
                "2011-12-31T06:00:00Z",
            ])
    }

    @Test("T3: the instants are those of a clock that is watched minute by minute", arguments: Self.places)
    func watched(_ place: Place) throws {
        let times: [Int32] = [0, 15, 105, 120, 135, 150, 180, 600, 1_439]
        let clock = SummaryClock(times: times, timeZone: place.zone)
        let zone = try #require(TimeZone(identifier: place.zone))
        let start = try Timestamp(iso: place.start).microseconds / 1_000_000
        let local = { (instant: Int64) in
            instant + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
        }
        var greatest = local(start)
        var expected: Timestamp?
        for instant in stride(from: start + 60, through: start + 3 * 86_400, by: 60) {
            let now = Timestamp(microseconds: instant * 1_000_000)
            let shown = local(instant)
            let passed = ((greatest + 60) / 60)...max((greatest + 60) / 60, shown / 60)
            if shown > greatest, passed.contains(where: { times.contains(Int32($0 % 1_440)) }) {
                let before = Timestamp(microseconds: (instant - 1) * 1_000_000)
                #expect(clock.first(after: before) == now, "\(now.iso)")
                expected = now
            }
            greatest = max(greatest, shown)
            if let expected { #expect(clock.latest(upTo: now) == expected, "\(now.iso)") }
        }
        #expect(expected != nil)
    }

    struct Place: Sendable {
        var zone: String
        var start: String
    }
    static let places = [
        Place(zone: "Europe/Zurich", start: "2026-03-28T00:00:00Z"),
        Place(zone: "Europe/Zurich", start: "2026-10-24T00:00:00Z"),
        Place(zone: "America/New_York", start: "2026-11-01T00:00:00Z"),
        Place(zone: "Australia/Lord_Howe", start: "2026-04-03T12:00:00Z"),
        Place(zone: "Australia/Lord_Howe", start: "2026-10-02T12:00:00Z"),
        Place(zone: "Pacific/Apia", start: "2011-12-29T00:00:00Z"),
        Place(zone: "Pacific/Kiritimati", start: "1994-12-30T00:00:00Z"),
        Place(zone: "Africa/Casablanca", start: "2026-02-14T00:00:00Z"),
        Place(zone: "Asia/Kathmandu", start: "2026-02-14T00:00:00Z"),
    ]

    @Test("T3: a zone that nobody knows counts as UTC, and says so")
    func unknownZone() throws {
        let clock = SummaryClock(times: [480], timeZone: "Mars/Olympus_Mons")
        #expect(!clock.isZoneKnown && SummaryClock(times: [480], timeZone: "Asia/Tokyo").isZoneKnown)
        #expect(try instants(clock, after: "2026-06-01T09:00:00Z", 1) == ["2026-06-02T08:00:00Z"])
    }

    @Test(
        "T3: moments that no calendar has are no summary's, and trap nothing", arguments: [Int64.min, .max, .max / 2])
    func extremes(microseconds: Int64) {
        let clock = SummaryClock(times: [0], timeZone: "Europe/Zurich")
        #expect(clock.first(after: Timestamp(microseconds: microseconds)) == nil)
        #expect(clock.latest(upTo: Timestamp(microseconds: microseconds)) == nil)
        #expect(SummaryClock(times: [], timeZone: "UTC").first(after: Timestamp(microseconds: 0)) == nil)
    }

    @Test("T3: between whole seconds nothing is earlier or later than it is")
    func fractions() throws {
        let clock = SummaryClock(times: [0], timeZone: "UTC")
        let midnight = try Timestamp(iso: "2026-06-02T00:00:00Z")
        #expect(clock.first(after: midnight.adding(microseconds: -1)) == midnight)
        #expect(clock.latest(upTo: midnight) == midnight)
        #expect(clock.latest(upTo: midnight.adding(microseconds: -1))?.iso == "2026-06-01T00:00:00Z")
        #expect(clock.first(after: midnight)?.iso == "2026-06-03T00:00:00Z")
    }
}
