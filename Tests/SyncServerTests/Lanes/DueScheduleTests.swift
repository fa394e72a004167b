import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// When something is due, and for whom.
@Suite struct DueScheduleTests {
    private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    @Test("T1, T3: users are due from their time on; one for whom nothing will be due is known, and never due")
    func isDue() {
        var due = DueSchedule()
        let (soon, later, never, unknown) = (UserID.random(), UserID.random(), UserID.random(), UserID.random())
        due.schedule(soon, at: at(10))
        due.schedule(later, at: at(20))
        due.schedule(never, at: nil)
        #expect(due.users(due: at(9), limit: 10) { _ in true }.isEmpty)
        #expect(due.users(due: at(10), limit: 10) { _ in true } == [soon])
        #expect(Set(due.users(due: at(1_000_000), limit: 10) { _ in true }) == [soon, later])
        #expect(due[soon] == at(10) && due[never] == nil && due[unknown] == nil)
        #expect(due.knows(never) && !due.knows(unknown))
        due.schedule(soon, at: at(30))
        #expect(due.users(due: at(10), limit: 10) { _ in true }.isEmpty)
        due.forget(later)
        #expect(!due.knows(later) && due.users(due: at(20), limit: 10) { _ in true }.isEmpty)
    }

    @Test("Those who are due are found as far as they are wanted, and no more than asked for")
    func limit() {
        var due = DueSchedule()
        let users = (0..<5).map { _ in UserID.random() }
        for user in users { due.schedule(user, at: at(1)) }
        #expect(due.users(due: at(1), limit: 3) { _ in true }.count == 3)
        #expect(due.users(due: at(1), limit: 3) { $0 == users[4] } == [users[4]])
        #expect(due.users(due: at(1), limit: 0) { _ in true }.isEmpty)
    }

    @Test(
        "A user's timers depend on their active Focus, their delivery schedule and their alerts alone",
        arguments: RowCollection.allCases)
    func depends(collection: RowCollection) {
        let moving: Set<RowCollection> = [.activeFocus, .deliverySchedule, .alerts, .classAlerts]
        let moves = moving.contains(collection)
        #expect(DueSchedule.depends(on: [RowKey(collection)]) == moves)
    }
}
