import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Rule V5: one answer a minute to the same question.
@Suite struct RecentReachesTests {
    private let anna = UserID.random()
    private let viewer = Viewer(user: .random(), scope: .system)
    private let wall = Timestamp(microseconds: 1_800_000_000_000_000)

    private func question(_ level: InterruptionLevel = .active, _ user: UserID? = nil) -> ReachQuestion {
        ReachQuestion(user: user ?? anna, app: AppID("com.example.chat")!, level: level)
    }

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test("V5: within a minute the same question has the same answer; another question, and another asker, their own")
    func minute() {
        var recent = RecentReaches()
        func ask(
            _ time: Int64, _ reach: Reach, _ level: InterruptionLevel = .active, by viewer: Viewer? = nil
        ) -> Reach {
            recent.answer(
                question(level), viewer ?? self.viewer, isFocused: false, now: at(time), wall: wall, decide: { reach })
        }
        #expect(ask(0, .ringsNow) == .ringsNow)
        #expect(ask(59_999, .untold) == .ringsNow)
        #expect(ask(59_999, .untold, .timeSensitive) == .untold)
        #expect(ask(59_999, .untold, by: Viewer(user: .random(), scope: .system)) == .untold)
        #expect(ask(60_000, .untold) == .untold)
        #expect(ask(119_999, .ringsNow) == .untold, "the minute of the second answer")
    }

    @Test("V5: it ends with what Watch tells, and with the time that it names")
    func ends() {
        var recent = RecentReaches()
        let soon = wall.adding(microseconds: 10)
        func ask(_ isFocused: Bool, _ wall: Timestamp, _ reach: Reach) -> Reach {
            recent.answer(question(), viewer, isFocused: isFocused, now: at(0), wall: wall, decide: { reach })
        }
        #expect(ask(true, wall, .waits(atMost: soon)) == .waits(atMost: soon))
        #expect(ask(true, wall.adding(microseconds: 9), .ringsNow) == .waits(atMost: soon))
        #expect(ask(true, soon, .untold) == .untold)
        #expect(ask(false, soon, .ringsNow) == .ringsNow)
    }

    @Test("V5: past its bound it forgets the oldest answer, and no more of them are held")
    func bound() {
        var recent = RecentReaches()
        let users = (0...RecentReaches.limit).map { number in
            UserID(DeviceID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })?.uuid ?? UUID())
        }
        func ask(_ number: Int, _ reach: Reach) -> Reach {
            recent.answer(
                question(.active, users[number]), viewer, isFocused: false, now: at(0), wall: wall, decide: { reach })
        }
        for number in 0..<RecentReaches.limit { _ = ask(number, .ringsNow) }
        #expect(recent.count == RecentReaches.limit && ask(RecentReaches.limit - 1, .untold) == .ringsNow)
        _ = ask(RecentReaches.limit, .ringsNow)
        #expect(recent.count <= RecentReaches.limit && ask(0, .untold) == .untold)
    }
}
