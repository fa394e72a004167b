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
        for user in [anna, ben, anna, anna, ben, anna] { staging.compared(payloadBytes: 0, for: user) }
        #expect(staging.users.map(\.id) == [anna, ben])
        #expect(staging.users.map(\.share.work) == [4 * Work.comparison, 2 * Work.comparison])
        #expect(staging.work == 6 * Work.comparison && staging.heavyWork == 4 * Work.comparison)
    }

    @Test("Q1: to compare a large event costs more than to compare a small one")
    func compared() {
        var staging = AppendStaging(time.clock, behind: [:])
        staging.compared(payloadBytes: 100 * Work.bytesPerUnit, for: anna)
        #expect(staging.work == Work.comparison + 100)
    }

    @Test("Q1: what stands before the frames is charged to nobody, and takes its room all the same")
    func beforeFrames() {
        var staging = AppendStaging(
            time.clock, behind: [:], bounds: WorkBounds(ofLightUser: { _ in 1 }, ofDearEvent: 1))
        staging.compared(payloadBytes: 0, for: anna)
        staging.beginFrames()
        #expect(staging.work == Work.comparison && staging.heavyWork == 0 && staging.takeDear() == 0)
        #expect(staging.users.map(\.work) == [0] && staging.users.allSatisfy { !$0.isLight })
        for _ in 1...2 { staging.compared(payloadBytes: 0, for: anna) }
        #expect(staging.users.map(\.work) == [2 * Work.comparison])
        #expect(staging.heavyWork == 2 * Work.comparison - 1, "one unit is there for each user")
        #expect(staging.takeDear() == 2 * Work.comparison && staging.takeDear() == 0)
    }

    @Test("Who is only compared has no folded events; who has a frame for several statements asks for more than little")
    func partial() {
        var staging = AppendStaging(time.clock, behind: [:])
        func hasLightUser() -> Bool { staging.users.contains { $0.isLight } }
        staging.compared(payloadBytes: 0, for: anna)
        #expect(!staging.hasFoldedEvents(of: anna) && !staging.isUnfolded(anna))
        #expect(hasLightUser())
        #expect(!staging.hasFoldedEvents(of: ben) && !staging.isUnfolded(ben))
        staging.markPartial(anna)
        #expect(!hasLightUser())
        staging.compared(payloadBytes: 0, for: ben)
        #expect(hasLightUser())
    }

    /// A statement with two events of Anna's.
    private func staging(isLocked: Bool = false) throws -> AppendStaging {
        let (store, users) = (PartLog(), PartUsers())
        try users.load(anna, from: store)
        let user = try #require(users[anna])
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head], isLocked: isLocked)
        for number in Int64(1)...2 {
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: DeviceSequence(number), id: EventID(UUID()), app: nil, occurredAt: time.wall,
                recordedAt: time.wall, body: LaneSamples.focus("f\(number)"))
            try staging.record(event, LoggedPayload(event.body), user)
        }
        return staging
    }

    @Test("Q1: a statement takes frames until it has its events, its bytes or its work; a locked one has fewer")
    func room() throws {
        for isLocked in [false, true] {
            let staging = try staging(isLocked: isLocked)
            func hasRoom(_ change: (inout LaneConfiguration) -> Void) -> Bool {
                var configuration = LaneConfiguration()
                change(&configuration)
                return staging.hasRoom(configuration)
            }
            for more in [0, 1] {
                #expect(hasRoom { $0.eventsPerStatement = staging.eventCount + more } == (more == 1))
                #expect(hasRoom { $0.bytesPerStatement = staging.byteCount + more } == (more == 1))
                #expect(hasRoom { $0.workPerStatement = staging.work + more } == (more == 1))
                #expect(hasRoom { $0.eventsPerLock = staging.eventCount + more } == (more == 1 || !isLocked))
                #expect(hasRoom { $0.bytesPerLock = staging.byteCount + more } == (more == 1 || !isLocked))
            }
        }
    }

    @Test("Q1: what is due takes a quarter of a statement's events, and half of the work that a user may have")
    func roomForDue() throws {
        for isLocked in [false, true] {
            let staging = try staging(isLocked: isLocked)
            func hasRoom(_ change: (inout LaneConfiguration) -> Void) -> Bool {
                var configuration = LaneConfiguration()
                change(&configuration)
                return staging.hasRoomForDue(configuration)
            }
            for more in [0, 1] {
                #expect(hasRoom { $0.eventsPerStatement = 4 * (staging.eventCount + more) } == (more == 1))
                #expect(hasRoom { $0.workPerUser = 2 * (staging.work + more) } == (more == 1))
                #expect(hasRoom { $0.eventsPerLock = 4 * (staging.eventCount + more) } == (more == 1 || !isLocked))
            }
        }
    }
}
