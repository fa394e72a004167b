import FocusCore
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import SyncServer

@Suite struct PartialFramesTests {
    private let closed = NIOLockedValueBox<[UInt64]>([])

    private func hold(
        _ parts: PartialFrames, _ bytes: Int, _ connection: UInt64, of user: UserID? = nil, at time: Int64
    ) {
        let closed = closed
        let owner = user.map { ConnectionOwner.user($0) } ?? .connection(connection)
        parts.holds(bytes, connection, of: owner, now: MonotonicTime(milliseconds: time)) {
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

    @Test("Q7: who holds much over many connections loses them before somebody who holds more over one")
    func together() {
        let parts = PartialFrames(limit: 1_000)
        let user = UserID(UUID())
        hold(parts, 300, 1, at: 0)
        for connection in UInt64(2)...8 { hold(parts, 100, connection, of: user, at: Int64(connection)) }
        #expect(closed.withLockedValue { $0 }.isEmpty)
        hold(parts, 100, 9, of: user, at: 100)
        #expect(closed.withLockedValue { $0 } == [2, 3, 4, 5] && parts.used == 700)
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
