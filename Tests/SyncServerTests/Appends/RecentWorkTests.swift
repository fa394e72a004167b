import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// Who asks for little, by what was done for each before.
@Suite struct RecentWorkTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())

    private func recent() -> RecentWork {
        var configuration = LaneConfiguration()
        (configuration.lightWork, configuration.lightWorkMilliseconds) = (100, 10)
        (configuration.quietWork, configuration.quietWorkMilliseconds) = (500, 100)
        configuration.lightMilliseconds = 1_000
        return RecentWork(configuration)
    }

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func staged(_ user: UserID, _ work: Int) -> StagedUser {
        var share = WorkShare(lightWork: 0)
        _ = share.add(work)
        return StagedUser(user, share)
    }

    @Test("Q1: what was done for a user counts in the statements after it, flows back, and is nobody else's")
    func counts() {
        let recent = recent()
        recent.use([staged(anna, 60)], now: at(0))
        #expect(recent.rest(of: anna, now: at(0)) == 40 && recent.rest(of: ben, now: at(0)) == 100)
        recent.use([staged(anna, 60)], now: at(0))
        #expect(recent.rest(of: anna, now: at(0)) == 0)
        #expect(recent.rest(of: anna, now: at(7)) == 50 && recent.rest(of: anna, now: at(12)) == 100)
    }

    @Test("Q1: whoever asked for very much asks for little again, a while after they went on asking")
    func forgets() {
        let recent = recent()
        for _ in 0..<100 { recent.use([staged(anna, 9_000)], now: at(0)) }
        recent.use([staged(ben, 1_000_000_000)], now: at(0))
        for user in [anna, ben] {
            #expect(recent.rest(of: user, now: at(990)) == 0 && recent.rest(of: user, now: at(1_000)) == 100)
        }
    }

    @Test("Q1: others make room for whoever asks for little, a burst included, and not for who goes on asking")
    func littleLately() {
        let recent = recent()
        recent.use([staged(anna, 400), staged(ben, 60)], now: at(0))
        #expect(recent.isQuiet(anna, now: at(0)))
        recent.use([staged(anna, 400)], now: at(0))
        #expect(!recent.isQuiet(anna, now: at(60)) && recent.isQuiet(ben, now: at(60)))
        #expect(recent.isQuiet(anna, now: at(61)))
        recent.use([staged(anna, 1_000_000)], now: at(61))
        #expect(!recent.isQuiet(anna, now: at(961)) && recent.isQuiet(anna, now: at(962)))
    }

    @Test(
        "Q1: what is done for a user beside the lane counts like what the lane does; who asks for nothing is not light")
    func beside() {
        let recent = recent()
        var user = StagedUser(anna, WorkShare(lightWork: 100))
        #expect(!user.isLight)
        user.workBeside = 70
        #expect(user.isLight)
        recent.use([user], now: at(0))
        #expect(recent.rest(of: anna, now: at(0)) == 30)
        user.workBeside = 101
        #expect(!user.isLight)
    }

    @Test("Q1: a share says how much of it is past what the user may have")
    func past() {
        var share = WorkShare(lightWork: 100)
        #expect([60, 60, 10].map { share.add($0) } == [0, 20, 10] && share.work == 130)
    }
}
