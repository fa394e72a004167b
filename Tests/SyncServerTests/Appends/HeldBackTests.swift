import EventStore
import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Frames for which a statement has no room, when there are many of them.
@Suite struct HeldBackTests {
    private let store = PartLog()
    private let users = PartUsers()
    private let time = PartTime()

    /// - Parameter most: how long they rest at most; without a bound 199 rest for up to 66 ms.
    @Test(
        "Q1: where many find no room few of them are asked in each statement, and all of them come to their turn",
        arguments: [Int64(500), 32])
    func many(most: Int64) throws {
        var configuration = LaneConfiguration()
        configuration.bulkRestMilliseconds = most
        let appends = LaneAppends(LaneSamples.context(time, configuration), NoService()) { [store] _ in store.head }
        let quiet = UserID.random()
        var sessions: [UInt64: LaneSession] = [:]
        for id in UInt64(0)..<200 {
            let user = id == 0 ? quiet : .random()
            try users.load(user, from: store)
            sessions[id] = LaneSamples.session(id, LaneSamples.identity(user))
            appends.enqueue(LaneSamples.append(id, [LaneSamples.focus()]))
        }
        // Everybody but one asks for much, and has no room.
        let bounds = WorkBounds(ofLightUser: { $0 == quiet ? .max : 0 }, ofHeavyUsers: 0)
        #expect(stage(appends, sessions, bounds).map(\.append.session) == [0])
        // The next statement finds out who rests.
        appends.enqueue(LaneSamples.append(0, [LaneSamples.focus()], at: 2))
        #expect(stage(appends, sessions, bounds).map(\.append.session) == [0])
        #expect(appends.count <= 48, "\(appends.count) would be asked again")
        var answered = 0
        while let end = appends.nextRestEnds ?? (appends.isEmpty ? nil : time.now) {
            time.advance(max(0, end - time.now))
            appends.endRests()
            answered += stage(appends, sessions, WorkBounds()).count
        }
        #expect(answered == 199 && time.now - PartTime().now == min(most, 64))
    }

    private func stage(
        _ appends: LaneAppends, _ sessions: [UInt64: LaneSession], _ bounds: WorkBounds
    ) -> [AppendStaging.Answer] {
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head], bounds: bounds)
        appends.stage(
            into: &staging, users, session: { sessions[$0] }, connected: { _ in [] }, foldFailed: { _, _ in })
        return staging.answers
    }
}
