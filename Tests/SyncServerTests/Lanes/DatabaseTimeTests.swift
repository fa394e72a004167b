import FocusCore
import Logging
import Support
import Testing

@testable import SyncServer

@Suite("DatabaseTime") struct DatabaseTimeTests {
    private let time = PartTime()
    private let log = KeptLog()

    private func make(ahead: Int64 = 0) -> DatabaseTime {
        let clock = time.clock
        var logger = Logger(label: "test") { [log] _ in log }
        logger.logLevel = .info
        return DatabaseTime(
            ServerClock(
                monotonic: clock.monotonic, wall: { clock.wall().adding(microseconds: ahead) },
                tolerance: ServerClock.usualTolerance), logger: logger)
    }

    @Test("E4: two seconds are agreement, a microsecond more is none; while nobody knows, the machine's clock counts")
    func edges() {
        for (ahead, isApart) in [(2_000_000, false), (2_000_001, true), (-2_000_000, false), (-2_000_001, true)] {
            let ahead = Int64(ahead)
            let judged = make(ahead: ahead)
            #expect(!judged.isApart() && judged.clock.wall() == time.wall.adding(microseconds: ahead))
            judged.observe(time.wall, asked: time.clock.monotonic())
            #expect(judged.isApart() == isApart)
            #expect(judged.difference() == (isApart ? ahead : 0))
            #expect(judged.clock.wall() == time.wall.adding(microseconds: isApart ? 0 : ahead))
        }
    }

    @Test("E4: an answer that took long tells less: the clock is wrong only if it is so for every moment of the wait")
    func slowAnswers() {
        let asked = time.clock.monotonic()
        let before = time.wall
        time.advance(5_000)
        // The database may have read its clock at the beginning or at the end of the wait.
        for (said, isApart) in [
            (before.adding(microseconds: -2_000_000), false), (before.adding(microseconds: -2_000_001), true),
            (time.wall.adding(microseconds: 2_000_000), false), (time.wall.adding(microseconds: 2_000_001), true),
        ] {
            let judged = make()
            judged.observe(said, asked: asked)
            #expect(judged.isApart() == isApart)
        }
    }

    @Test("E4: a clock that is set between two looks is seen at once, and one that merely goes on is not")
    func countsOn() {
        let judged = make()
        judged.observe(time.wall, asked: time.clock.monotonic())
        time.advance(86_400_000)
        #expect(!judged.isApart())
        let fast = make(ahead: 1_000_000)
        fast.observe(time.wall.adding(microseconds: -1_500_000), asked: time.clock.monotonic())
        #expect(fast.difference() == 2_500_000)
    }

    @Test("E4: extremes of either clock are differences, not traps")
    func extremes() {
        for said in [Int64.min, .min + 1, -1, 0, .max] {
            let judged = make()
            judged.observe(Timestamp(microseconds: said), asked: time.clock.monotonic())
            #expect(judged.isApart())
            #expect(judged.clock.wall() == Timestamp(microseconds: said))
        }
    }

    @Test("E4: the log says it when it begins, once a minute, and when it ends")
    func says() {
        let wrong = make(ahead: 3_000_000)
        wrong.observe(time.wall, asked: time.clock.monotonic())
        for _ in 0..<10 { _ = wrong.isApart() }
        #expect(log.messages(.critical).count == 1)
        time.advance(59_999)
        #expect(wrong.isApart() && log.messages(.critical).count == 1)
        time.advance(1)
        #expect(wrong.isApart() && log.messages(.critical).count == 2 && log.messages(.notice) == [])
        wrong.observe(time.wall.adding(microseconds: 3_000_000), asked: time.clock.monotonic())
        for _ in 0..<10 { #expect(!wrong.isApart()) }
        #expect(log.messages(.critical).count == 2 && log.messages(.notice).count == 1)
    }
}
