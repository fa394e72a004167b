import Testing

@testable import focusctl

@Suite struct ProgressLineTests {
    @Test("Progress says done, total, rate and time left, once per interval")
    func lines() {
        var line = ProgressLine(total: 1_000, noun: "users", interval: .seconds(10))
        #expect(line.next(50, after: .milliseconds(9_999)) == nil)
        #expect(line.next(200, after: .seconds(10)) == "200 of 1000 users, 20/s, 40 s left")
        #expect(line.next(210, after: .seconds(11)) == nil)
        #expect(line.next(250, after: .seconds(25)) == "250 of 1000 users, 10/s, 75 s left")
        #expect(line.next(250, after: .seconds(100)) == "250 of 1000 users, 2.5/s, 5 min left")
        #expect(line.next(1_000, after: .seconds(200)) == "1000 of 1000 users, 5.0/s, 0 s left")
    }

    @Test("What has not begun has no rate, and what takes for ever is counted in hours")
    func extremes() {
        var line = ProgressLine(total: 1_000_000, noun: "users", interval: .zero)
        #expect(line.next(0, after: .zero) == "0 of 1000000 users, 0.0/s, unknown time left")
        #expect(line.next(1, after: .seconds(1)) == "1 of 1000000 users, 1.0/s, 278 h left")
    }

    @Test("What was done before it began says nothing of how fast it goes, nor of how long it takes")
    func resumed() {
        var line = ProgressLine(total: 1_000, noun: "users", interval: .seconds(10), begun: 800)
        #expect(line.next(900, after: .seconds(10)) == "900 of 1000 users, 10/s, 10 s left")
        line.total = 1_900
        #expect(line.next(1_000, after: .seconds(20)) == "1000 of 1900 users, 10/s, 90 s left")
    }
}
