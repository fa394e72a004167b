import Testing

@testable import FocusCore

@Suite("UserState: when summaries are due") struct SummaryDueTests {
    private func waiting(since second: Double = 2) -> Stage {
        var stage = Stage.ready()
        stage.schedule([200, 100], at: 1)
        stage.set(scheduled: .on, at: 1)
        stage.post("a", at: second)
        return stage
    }

    @Test("T3: the state tells a scheduler the times, the zone, the write, and after when one can be due")
    func schedule() throws {
        var stage = waiting()
        var schedule = try #require(stage.state.summarySchedule)
        #expect(schedule.times == [100, 200] && schedule.timeZone == "Europe/Zurich")
        #expect(schedule.stamp.time == .at(1) && schedule.stamp.device == .phone)
        #expect(schedule.waitingSince == .at(2) && schedule.lastDelivered == nil && schedule.dueAfter == .at(2))
        stage.fireTimers(at: 100)
        schedule = try #require(stage.state.summarySchedule)
        #expect(schedule.lastDelivered == .at(100) && schedule.waitingSince == nil && schedule.dueAfter == nil)
    }

    @Test("T3: two servers race: one event")
    func race() throws {
        var stage = waiting()
        stage.fireTimers(at: 99)
        let delivery = try #require(stage.state.summarySchedule).delivery(dueAt: .at(100))
        // The summary is not due yet.
        #expect(stage.refusal(of: delivery) != nil)
        stage.send(.focusRemoved(FocusRemoved(focusID: "x")), at: 100)
        #expect(stage.refusal(of: delivery) == nil)
        stage.fireTimers(at: 100)
        stage.post("b", at: 101)
        #expect(stage.refusal(of: delivery) != nil)
    }

    @Test("T3: no longer due when it is written: nothing is written")
    func notDue() throws {
        var stage = waiting()
        let delivery = try #require(stage.state.summarySchedule).delivery(dueAt: .at(100))
        stage.send(.focusRemoved(FocusRemoved(focusID: "x")), at: 100)
        #expect(stage.refusal(of: delivery) == nil)
        // Another device has written another schedule.
        var other = stage
        other.schedule([100, 150], at: 50, from: .tablet)
        #expect(other.refusal(of: delivery) != nil)
        // The same schedule written again is a new write too.
        other = stage
        other.schedule([200, 100], at: 50, from: .tablet)
        #expect(other.refusal(of: delivery) != nil)
        // The alert that waited was read.
        other = stage
        other.read("a", at: 60)
        #expect(other.refusal(of: delivery) != nil)
        // A later summary was delivered: after a downtime only the latest of the missed ones comes.
        other = stage
        other.fireTimers(at: 250)
        #expect(other.events.last?.occurredAt == .at(200) && other.decision("a")?.reason == .summary)
        other.post("b", at: 260)
        #expect(other.refusal(of: delivery) != nil)
    }

    @Test("T3: a time that passed before anything waited is not due, and leaves nothing in the log")
    func idle() {
        var stage = waiting(since: 150)
        let count = stage.events.count
        stage.fireTimers(at: 150)
        #expect(stage.events.count == count && stage.decision("a")?.alert == .heldForSummary)
        stage.fireTimers(at: 200)
        #expect(stage.events.count == count + 1 && stage.decision("a")?.reason == .summary)
        // On the next days nobody posts, so nothing is written.
        for day in 1..<4 { stage.fireTimers(at: Double(day) * 1_440 + 300) }
        #expect(stage.events.count == count + 1)
    }

    @Test("T3: recorded at the very moment of a summary: it waits for the next")
    func edge() {
        var stage = waiting(since: 100)
        #expect(stage.refusal(of: stage.state.summarySchedule!.delivery(dueAt: .at(100))) != nil)
        stage.fireTimers(at: 100)
        #expect(stage.decision("a")?.alert == .heldForSummary)
        var earlier = waiting(since: 99.999_999)
        earlier.fireTimers(at: 100)
        #expect(earlier.decision("a")?.reason == .summary)
    }

    @Test("T3: a schedule set after the time of day begins with the next")
    func newSchedule() {
        var stage = waiting()
        stage.schedule([60, 300], at: 70)
        stage.fireTimers(at: 250)
        #expect(stage.decision("a")?.alert == .heldForSummary)
        stage.fireTimers(at: 300)
        #expect(stage.decision("a")?.reason == .summary)
    }

    @Test("E3: the schedule is a register, and what waits goes on by the one that wins")
    func register() {
        var stage = waiting()
        stage.schedule([50], at: 0.5, from: .tablet)
        stage.fireTimers(at: 60)
        #expect(stage.decision("a")?.alert == .heldForSummary)
        stage.schedule([70], zone: "UTC", at: 2, from: .tablet)
        #expect(stage.value(DeliveryScheduleRow.self, RowKey(.deliverySchedule))?.timeZone == "UTC")
        stage.fireTimers(at: 70)
        #expect(stage.decision("a")?.reason == .summary)
    }

    @Test("T3: all of it survives a reload")
    func reload() throws {
        var stage = waiting()
        for second in [50.0, 100, 150, 200] {
            stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
            if second == 150 { stage.post("b", at: 150) }
            stage.fireTimers(at: second)
        }
        #expect(stage.decision("a")?.reason == .summary && stage.decision("b")?.reason == .summary)
        #expect(stage.events.count { $0.body.type == .summaryDelivered } == 2)
    }
}
