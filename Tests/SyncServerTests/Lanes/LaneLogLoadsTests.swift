import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// What a lane makes of loads, which saw its log at another moment.
@Suite final class LaneLogLoadsTests: LaneLogStage {
    /// Takes up what a load of the users sees now, or what one saw.
    private func takeUp(_ users: LoadedUser..., in log: LaneLog, use: LoadUse = .usable) throws {
        let found = users.map { ($0.state.user, Result<_, any Error>.success($0)) }
        try log.takeUp(FoundUsers(loaded: Dictionary(uniqueKeysWithValues: found))) { _, _, _ in use }
    }

    @Test("A load that saw just what the lane knows needs no question")
    func loaded() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        try takeUp(store.loaded(anna), in: log)
        #expect(heard.all() == ["loaded 1"] && store.called().isEmpty)
    }

    @Test("The lane follows to the head that a load saw; what it has gone past since is below it")
    func loadedElsewhen() throws {
        let log = try begun()
        store.appendFocus("a", of: anna)
        let before = try store.loaded(anna)
        store.appendFocus("a", of: ben)
        try takeUp(store.loaded(ben), in: log)
        #expect(heard.all() == ["loaded 1", "followed 0", "followed 1", "caught up 2"])
        #expect(log.tails[PartLog.partition] == store.head && store.called().first == "held")
        try takeUp(before, in: log)
        #expect(heard.all() == ["loaded 1"] && store.called() == ["held"])
    }

    @Test("S6: a load from a server with another log is not used, and the lane does not follow it")
    func loadedOfAnotherLog() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        let known = store.events
        store.appendFocus("b", of: anna)
        let other = try store.loaded(anna)
        store.events = known
        store.appendFocus("c", of: ben)
        try takeUp(other, in: log)
        #expect(heard.all() == ["of another log"] && log.tails[PartLog.partition].nextOffset == LogOffset(1))
    }

    @Test("A load from another generation is made again once the lane has looked at the heads")
    func loadedOfAnotherGeneration() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        store.generation = 2
        try takeUp(store.loaded(anna), in: log)
        #expect(heard.all() == ["outdated"] && log.tails.mayHaveMoved)
        try log.confirmHeads()
        try takeUp(store.loaded(anna), in: log)
        #expect(heard.all().last == "loaded 1")
    }

    @Test("A load from the generation before that one is made again elsewhere if the lane knew better when it asked")
    func loadedOfOlderGeneration() throws {
        store.appendFocus("a", of: anna)
        let before = try store.loaded(anna)
        store.generation = 2
        let log = try begun()
        try takeUp(before, in: log)
        #expect(heard.all() == ["outdated"])
        try takeUp(before, in: log, use: .stale)
        #expect(heard.all() == ["of another log"])
    }

    @Test("A user who cannot be loaded is told alone; one of whom too much has changed meanwhile is outdated")
    func notLoaded() throws {
        let log = try begun()
        struct Broken: Error {}
        let found = [anna: .success(try store.loaded(anna)), ben: .failure(Broken())] as [UserID: Result<_, any Error>]
        try log.takeUp(FoundUsers(loaded: found)) { _, _, _ in .usable }
        #expect(heard.all() == ["unloadable", "loaded 0"])
        try takeUp(store.loaded(anna), in: log, use: .outdated)
        #expect(heard.all() == ["outdated"])
        // Who was left behind is left: the next load goes over another connection.
        try takeUp(store.loaded(anna), in: log, use: .stale)
        #expect(heard.all() == ["of another log"])
    }

    @Test("What a load lacks is read by user, for as many events as fit a statement; past that it is outdated")
    func lacking() throws {
        let log = try begun { $0.eventsPerStatement = 3 }
        let before = [try store.loaded(anna), try store.loaded(ben)]
        for _ in 0..<2 { for user in [anna, ben] { store.appendFocus("a", of: user) } }
        try log.catchUp(PartLog.partition)
        _ = heard.all()
        let found = before.map { ($0.state.user, Result<_, any Error>.success($0)) }
        try log.takeUp(FoundUsers(loaded: Dictionary(uniqueKeysWithValues: found))) { _, _, _ in
            .lacks(through: Version(2))
        }
        #expect(heard.all() == ["loaded 2", "outdated"])
    }
}
