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
}
