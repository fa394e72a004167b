import FocusCore
import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

@Suite struct DeadlineTimerTests {
    private let loop = EmbeddedEventLoop()

    @Test("Timers ring on a grid of 100 ms: never early, and at most that late; a deadline on the grid is kept exactly")
    func grid() {
        var rung: [Int] = []
        let timers = [1_001, 1_050, 1_100, 1_101].map { deadline in
            let timer = DeadlineTimer(on: loop) { rung.append(deadline) }
            timer.set(for: MonotonicTime(milliseconds: Int64(deadline)), now: MonotonicTime(milliseconds: 0))
            return timer
        }
        loop.advanceTime(to: .uptimeNanoseconds(1_099_999_999))
        #expect(rung.isEmpty)
        loop.advanceTime(to: .uptimeNanoseconds(1_100_000_000))
        #expect(rung.sorted() == [1_001, 1_050, 1_100])
        loop.advanceTime(to: .uptimeNanoseconds(1_200_000_000))
        #expect(rung.count == 4)
        timers.forEach { $0.cancel() }
    }

    @Test("A timer rings once, at the earliest moment that it is set to, and again only when it is set again")
    func earlier() {
        var rung = 0
        let start = MonotonicTime(milliseconds: 0)
        let timer = DeadlineTimer(on: loop) { rung += 1 }
        for deadline in [900, 300, 600] as [Int64] {
            timer.set(for: MonotonicTime(milliseconds: deadline), now: start)
        }
        loop.advanceTime(to: .uptimeNanoseconds(299_999_999))
        #expect(rung == 0)
        loop.advanceTime(to: .uptimeNanoseconds(300_000_000))
        #expect(rung == 1)
        timer.set(for: MonotonicTime(milliseconds: 950), now: MonotonicTime(milliseconds: 300))
        loop.advanceTime(to: .uptimeNanoseconds(999_999_999))
        #expect(rung == 1)
        loop.advanceTime(to: .uptimeNanoseconds(1_000_000_000))
        #expect(rung == 2)
        timer.set(for: MonotonicTime(milliseconds: 1_100), now: MonotonicTime(milliseconds: 1_000))
        timer.cancel()
        loop.advanceTime(to: .uptimeNanoseconds(3_000_000_000))
        #expect(rung == 2)
    }
}
