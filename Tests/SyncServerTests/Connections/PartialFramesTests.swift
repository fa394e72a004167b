import FocusCore
import NIOConcurrencyHelpers
import Testing

@testable import SyncServer

@Suite struct PartialFramesTests {
    private let closed = NIOLockedValueBox<[UInt64]>([])

    private func hold(_ parts: PartialFrames, _ bytes: Int, _ connection: UInt64, at time: Int64) {
        let closed = closed
        parts.holds(bytes, connection, now: MonotonicTime(milliseconds: time)) {
            closed.withLockedValue { $0.append(connection) }
        }
    }

    @Test("Q7: past the bound those are closed who held the most for the longest, and who sends on is not")
    func heaviest() {
        let parts = PartialFrames(limit: 1_000)
        for connection in UInt64(1)...9 { hold(parts, 100, connection, at: Int64(connection)) }
        // A frame that grows counts from its first byte on.
        hold(parts, 110, 9, at: 500)
        hold(parts, 90, 10, at: 1_000)
        #expect(closed.withLockedValue { $0 }.isEmpty && parts.used == 1_000)
        hold(parts, 1, 11, at: 1_000)
        #expect(closed.withLockedValue { $0 } == [9, 1, 2] && parts.used == 691)
    }

    @Test("Frames that came whole, and connections that closed, hold nothing")
    func whole() {
        let parts = PartialFrames(limit: 1_000)
        hold(parts, 1_000, 1, at: 0)
        hold(parts, 0, 1, at: 5)
        hold(parts, 0, 2, at: 5)
        #expect(parts.used == 0)
        hold(parts, 1_000, 3, at: 9)
        #expect(closed.withLockedValue { $0 }.isEmpty)
    }
}
