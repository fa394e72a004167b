import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// What a statement holds of each user.
@Suite struct AppendStagingTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let time = PartTime()

    @Test("Users are listed as they came, and each has their own work, also where their frames come in turn")
    func users() {
        var staging = AppendStaging(time.clock, behind: [:], bounds: WorkBounds(ofLightUser: { _ in Work.comparison }))
        for user in [anna, ben, anna, anna, ben, anna] { staging.compared(for: user) }
        #expect(staging.users.map(\.id) == [anna, ben])
        #expect(staging.users.map(\.share.work) == [4 * Work.comparison, 2 * Work.comparison])
        #expect(staging.work == 6 * Work.comparison && staging.heavyWork == 4 * Work.comparison)
    }

    @Test("Who is only compared has no folded events; who has a frame for several statements asks for more than little")
    func partial() {
        var staging = AppendStaging(time.clock, behind: [:])
        func hasLightUser() -> Bool { staging.users.contains { $0.isLight } }
        staging.compared(for: anna)
        #expect(!staging.hasFoldedEvents(of: anna) && !staging.isUnfolded(anna))
        #expect(hasLightUser())
        #expect(!staging.hasFoldedEvents(of: ben) && !staging.isUnfolded(ben))
        staging.isPartial(anna)
        #expect(!hasLightUser())
        staging.compared(for: ben)
        #expect(hasLightUser())
    }
}
