import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// What watchers of a lane's users are told, and when.
@Suite struct LaneWatchersTests {
    private let anna = UserID(UUID())
    private let viewer = UserID(UUID())
    private let users = PartUsers()
    private let time = PartTime()
    private let connections = PartConnections()
    private let deliveries = DeliveryBatch()

    private func watchers(_ context: LaneContext) -> LaneWatchers {
        context.freshness.confirm(lane: 0, at: time.now)
        let watchers = LaneWatchers(context, deliveries)
        watchers.watch(connections.handle(1), Viewer(user: viewer, scope: .app(AppID("com.example.chat")!)), [anna])
        return watchers
    }

    @Test("Once nobody watches any more, nothing is to be done, however watching ended", arguments: 0..<4)
    func ends(how: Int) throws {
        let context = LaneSamples.context(time)
        let watchers = watchers(context)
        try users.load(anna, from: PartLog())
        if how > 0 { watchers.sendStatuses(users) }
        // Rule V4: the change has to wait.
        if how == 1 { watchers.hear(.changed(anna)) }
        if how == 2 {
            time.advance(60_000)
            watchers.sendStatuses(users)
        }
        if how == 3 { watchers.unwatch(1, [anna]) } else { watchers.close(1) }
        time.advance(60_000)
        context.freshness.confirm(lane: 0, at: time.now)
        watchers.sendStatuses(users)
        #expect(watchers.nextDeadline > time.now.adding(milliseconds: 60_000))
        // Whoever watches next is told.
        watchers.watch(connections.handle(2), Viewer(user: viewer, scope: .app(AppID("com.example.chat")!)), [anna])
        watchers.sendStatuses(users)
        #expect(connections.told(2, deliveries) == ["statuses"])
    }

    private func head(_ partition: Partition) -> PartitionHead {
        var head = PartLog().head
        head.partition = partition
        return head
    }

    private func told() -> [String] { connections.told(1, deliveries) }

    @Test("V1: a watcher is told of a user as soon as they are in memory, and they are needed there until then")
    func needs() throws {
        let watchers = watchers(LaneSamples.context(time))
        watchers.sendStatuses(users)
        #expect(told().isEmpty && watchers.awaitingLoad.isEmpty)
        answer(watchers, isPossible: true)
        watchers.sendStatuses(users)
        #expect(told().isEmpty && watchers.awaitingLoad == [anna])
        #expect(watchers.nextDeadline > time.now, "nothing is to be done before they are loaded")
        try users.load(anna, from: PartLog())
        watchers.endWaits(users.isAwaitingLoad)
        watchers.sendStatuses(users)
        #expect(told() == ["statuses"] && watchers.awaitingLoad.isEmpty)
    }

    private func answer(_ watchers: LaneWatchers, isPossible: Bool) {
        guard let question = watchers.ask(head: head) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(question.entries.map(\.user) == [anna] && question.entries.map(\.viewer) == [viewer])
        let found = FoundAudiences(
            possible: isPossible ? Set(question.entries) : [], heads: [PartLog().head])
        watchers.takeUp(AudienceAnswer(number: question.number, found: .success(found))) { _ in true }
    }

    @Test("F5: a user whose audience lacks the viewer is not loaded for it; the viewer is told that nothing is known")
    func excluded() throws {
        let context = LaneSamples.context(time)
        let (watchers, freshness) = (watchers(context), context.freshness)
        watchers.sendStatuses(users)
        #expect(watchers.nextDeadline <= time.now)
        answer(watchers, isPossible: false)
        watchers.sendStatuses(users)
        #expect(told() == ["statuses"] && watchers.awaitingLoad.isEmpty)
        #expect(watchers.ask(head: head) == nil && watchers.nextDeadline > time.now)
        // Something happened to the user: it is asked again.
        watchers.hear(.changed(anna))
        time.advance(1_000)
        freshness.confirm(lane: 0, at: time.now)
        watchers.sendStatuses(users)
        answer(watchers, isPossible: true)
        #expect(watchers.awaitingLoad == [anna])
    }

    @Test("V1: an answer about a user to whom something happened meanwhile is not used")
    func outdated() throws {
        let watchers = watchers(LaneSamples.context(time))
        watchers.sendStatuses(users)
        let question = try #require(watchers.ask(head: head))
        watchers.hear(.changed(anna))
        let found = FoundAudiences(possible: [], heads: [PartLog().head])
        watchers.takeUp(AudienceAnswer(number: question.number, found: .success(found))) { _ in true }
        watchers.sendStatuses(users)
        #expect(told().isEmpty)
        answer(watchers, isPossible: true)
        #expect(watchers.awaitingLoad == [anna])
    }

    @Test("V2: nothing is told while any lane has not confirmed its heads")
    func stale() throws {
        let context = LaneSamples.context(time)
        let watchers = watchers(context)
        try users.load(anna, from: PartLog())
        time.advance(1_000)
        watchers.sendStatuses(users)
        #expect(told().isEmpty && watchers.nextDeadline == time.now.adding(milliseconds: 50))
        context.freshness.confirm(lane: 0, at: time.now)
        watchers.sendStatuses(users)
        #expect(told() == ["statuses"])
    }

    @Test("Nothing is known of a quarantined user, and that is told without waiting")
    func quarantined() {
        let watchers = watchers(LaneSamples.context(time))
        users.quarantined = [anna]
        watchers.sendStatuses(users)
        #expect(watchers.awaitingLoad.isEmpty && told() == ["statuses"])
    }

    @Test("A session that ended is told nothing more")
    func closed() throws {
        let watchers = watchers(LaneSamples.context(time))
        try users.load(anna, from: PartLog())
        watchers.close(1)
        watchers.hear(.changed(anna))
        watchers.sendStatuses(users)
        #expect(told().isEmpty)
    }
}
