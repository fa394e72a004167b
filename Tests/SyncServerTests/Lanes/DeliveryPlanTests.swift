import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// What a lane sends and when, by a clock that the test gives as a number.
@Suite struct DeliveryPlanTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test("Users whose rows cannot be sent yet stay, each once")
    func users() {
        var plan = DeliveryPlan()
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        for user in [anna, ben, anna] { plan.awaitRows(user) }
        #expect(plan.dequeueUsers(at: at(0)) { $0 == anna } == [anna])
        #expect(plan.dequeueUsers(at: at(0)) { $0 == anna }.isEmpty && plan.users == [ben])
    }

    @Test("Q1: a user who is paused has no turn until the pause ends; who is loaded is not waited for")
    func pauses() {
        var plan = DeliveryPlan()
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        plan.awaitRows(anna)
        plan.pause(anna, until: at(4))
        #expect(plan.isPaused(anna, at: at(3)) && !plan.isPaused(anna, at: at(4)) && !plan.isPaused(ben, at: at(0)))
        #expect(plan.nextRows(now: at(1)) { _ in false } == at(4) && plan.nextRows(now: at(1)) { _ in true } == nil)
        plan.awaitRows(ben)
        #expect(plan.nextRows(now: at(1)) { _ in false } == at(1) && plan.nextRows(now: at(1)) { $0 == ben } == at(4))
        #expect(plan.dequeueUsers(at: at(3)) { _ in true } == [ben] && plan.users == [anna])
        #expect(plan.dequeueUsers(at: at(4)) { _ in true } == [anna] && plan.nextRows(now: at(4)) { _ in false } == nil)
    }

    @Test("Q1: who had no turn keeps their place, before who had one, as does who was loaded or paused meanwhile")
    func keepTurns() {
        var plan = DeliveryPlan()
        let (anna, ben, carol, dora) = (UserID(UUID()), UserID(UUID()), UserID(UUID()), UserID(UUID()))
        for user in [anna, ben, carol, dora] { plan.awaitRows(user) }
        plan.pause(carol, until: at(4))
        #expect(plan.dequeueUsers(at: at(0)) { _ in true } == [anna, ben, dora])
        for user in [anna, ben, dora] { plan.awaitRows(user) }
        plan.keepTurns(of: [ben, dora])
        #expect(plan.dequeueUsers(at: at(4)) { _ in true } == [ben, carol, dora, anna])
        plan.keepTurns(of: [ben])
        #expect(plan.users.isEmpty, "who does not await rows any more has no turn")
    }

    @Test("S9: a checkpoint is due when its time has come, in the order in which they were asked for, each once")
    func checkpoints() {
        var plan = DeliveryPlan()
        plan.awaitCheckpoint(1, now: at(0), after: 1_000)
        plan.awaitCheckpoint(2, now: at(10), after: 1_000)
        plan.awaitCheckpoint(1, now: at(20), after: 1_000)
        #expect(plan.nextCheckpoint == at(1_000))
        #expect(plan.dequeueCheckpoint(due: at(999))?.session == nil)
        #expect(plan.dequeueCheckpoint(due: at(1_010))?.session == 1)
        #expect(plan.dequeueCheckpoint(due: at(1_010))?.session == 2)
        #expect(plan.dequeueCheckpoint(due: at(9_000))?.session == nil && plan.nextCheckpoint == nil)
        // From now on the session may await a checkpoint again.
        plan.awaitCheckpoint(1, now: at(9_000), after: 1_000)
        #expect(plan.nextCheckpoint == at(10_000))
    }

    @Test("S9: checkpoints that are due at once do not wait for others, in the order in which they were asked for")
    func prompt() {
        var plan = DeliveryPlan()
        plan.awaitCheckpoint(1, now: at(0), after: 1_000)
        for session in [UInt64(2), 3, 2] { plan.awaitCheckpoint(session, now: at(10), after: 0) }
        #expect(plan.nextCheckpoint == at(10))
        #expect([1, 2, 3].map { _ in plan.dequeueCheckpoint(due: at(10))?.session } == [2, 3, nil])
        plan.awaitCheckpoint(2, now: at(1_100), after: 0)
        // Who waited longer is not passed by who comes later.
        #expect([1, 2].map { _ in plan.dequeueCheckpoint(due: at(1_100))?.session } == [1, 2])
    }

    @Test("S9: a checkpoint that is interrupted is the next one, once, whoever comes; others keep their order")
    func interrupted() {
        var plan = DeliveryPlan()
        for session in [UInt64(1), 2, 3] { plan.awaitCheckpoint(session, now: at(0), after: 1_000) }
        let due = [1, 2].compactMap { _ in plan.dequeueCheckpoint(due: at(1_000)) }
        plan.putBack([due[1]], behind: due[0])
        for session in [UInt64(1), 2] { plan.awaitCheckpoint(session, now: at(1_000), after: 1_000) }
        plan.awaitCheckpoint(4, now: at(1_000), after: 0)
        plan.checkpointIsOverdue(5)
        plan.awaitCheckpoint(5, now: at(1_000), after: 1_000)
        #expect(plan.nextCheckpoint == at(1_000))
        #expect([1, 2, 3, 4, 5].map { _ in plan.dequeueCheckpoint(due: at(9_000))?.session } == [1, 4, 5, 2, 3])
        #expect(plan.nextCheckpoint == nil)
    }

    @Test("S9: a checkpoint that was overdue comes at once, before all others; that of a closed session does not count")
    func overdue() {
        var plan = DeliveryPlan()
        plan.awaitCheckpoint(1, now: at(0), after: 1_000)
        plan.awaitCheckpoint(2, now: at(500), after: 1_000)
        #expect(plan.dequeueCheckpoint(due: at(1_000))?.session == 1)
        plan.checkpointIsOverdue(1)
        plan.awaitCheckpoint(1, now: at(1_100), after: 1_000)
        #expect(plan.dequeueCheckpoint(due: at(1_100))?.session == 1)
        // An overdue checkpoint comes early only once.
        plan.awaitCheckpoint(1, now: at(1_100), after: 1_000)
        #expect(plan.dequeueCheckpoint(due: at(1_600))?.session == 2 && plan.nextCheckpoint == at(2_100))

        plan.checkpointIsOverdue(3)
        plan.closed(3)
        plan.awaitCheckpoint(3, now: at(1_700), after: 1_000)
        #expect(plan.nextCheckpoint == at(2_100))
    }
}
