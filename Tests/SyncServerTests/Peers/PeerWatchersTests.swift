import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Which sessions are told of which users, by a clock that the test gives as a number.
@Suite struct PeerWatchersTests {
    private let chat = AppID("com.example.chat")!
    private let anna = UserID.random()
    private let ben = UserID.random()

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func watchers(_ users: [UserID], session: UInt64 = 1) -> PeerWatchers {
        var watchers = PeerWatchers()
        watchers.watch(
            LaneSamples.handle(session), Viewer(user: .random(), scope: .app(chat)), users, now: at(0))
        return watchers
    }

    private func told(
        _ watchers: inout PeerWatchers, _ now: Int64, mayTell: Bool = true, isFocused: Bool? = true,
        isLoaded: (UserID) -> Bool = { _ in true }
    ) -> [UserID] {
        watchers.statusesToSend(now: at(now), mayTell: mayTell) { user, _ in
            isLoaded(user) ? isFocused.map { [chat: $0] } ?? [:] : nil
        }.flatMap { $0.1.map(\.user) }
    }

    @Test("V1: whoever watches hears of each user at once, then of changes alone")
    func changes() {
        var watchers = watchers([anna, ben])
        #expect(watchers.nextDeadline(now: at(0), retryMilliseconds: 50) == at(0))
        #expect(Set(told(&watchers, 0)) == [anna, ben])
        #expect(told(&watchers, 1_000).isEmpty)
        watchers.changed(anna)
        #expect(told(&watchers, 1_000, isFocused: true).isEmpty, "nothing that shows")
        watchers.changed(anna)
        #expect(told(&watchers, 2_000, isFocused: false) == [anna])
    }

    @Test("Q1: the sessions of one viewer share a look at a user; a turn takes so many watches, the next one the rest")
    func manySessions() {
        var watchers = PeerWatchers()
        let (viewer, count) = (Viewer(user: ben, scope: .app(chat)), PeerWatchers.looksPerTurn + 10)
        for session in 1...UInt64(count) { watchers.watch(LaneSamples.handle(session), viewer, [anna], now: at(0)) }
        var looks = 0
        func told() -> Int {
            watchers.statusesToSend(now: at(0), mayTell: true) { _, _ in
                looks += 1
                return [chat: true]
            }.count
        }
        #expect(told() == PeerWatchers.looksPerTurn && looks == 1)
        #expect(watchers.nextDeadline(now: at(0), retryMilliseconds: 50) == at(0))
        #expect(told() == 10 && looks == 2)
        #expect(watchers.nextDeadline(now: at(0), retryMilliseconds: 50) > at(0))
    }

    @Test("V1: a user who is not in memory is to be loaded, and told of as soon as they are")
    func loading() {
        var watchers = watchers([anna])
        #expect(told(&watchers, 0) { _ in false }.isEmpty)
        let unsure = watchers.takeUnsure()
        #expect(unsure.map(\.user) == [anna] && watchers.takeUnsure().isEmpty && watchers.awaitingLoad.isEmpty)
        for (user, viewer) in unsure { watchers.learned(user, viewer, isPossible: true, now: at(1)) }
        #expect(watchers.awaitingLoad == [anna] && told(&watchers, 1).isEmpty)
        watchers.endWaits { $0 == anna }
        #expect(watchers.awaitingLoad == [anna] && watchers.nextDeadline(now: at(1), retryMilliseconds: 50) > at(1))
        watchers.endWaits { _ in false }
        #expect(watchers.awaitingLoad.isEmpty && watchers.nextDeadline(now: at(1), retryMilliseconds: 50) <= at(1))
        #expect(told(&watchers, 1) == [anna])
    }

    @Test("F5: a viewer in no audience is told so once, and again when something happens to the user")
    func excluded() throws {
        var watchers = watchers([anna])
        func learn(at time: Int64) throws {
            #expect(told(&watchers, time) { _ in false }.isEmpty)
            let unsure = try #require(watchers.takeUnsure().first)
            watchers.learned(unsure.user, unsure.viewer, isPossible: false, now: at(time))
        }
        try learn(at: 0)
        #expect(told(&watchers, 0) { _ in false } == [anna] && watchers.awaitingLoad.isEmpty)
        #expect(told(&watchers, watchers.nextRenewal.milliseconds) { _ in false }.isEmpty, "nothing to renew")
        #expect(watchers.takeUnsure().isEmpty)
        watchers.changed(anna)
        try learn(at: 40_000)
        // Something happens before it is told: what was learned is of no use.
        watchers.changed(anna)
        try learn(at: 40_000)
        #expect(told(&watchers, 40_000) { _ in false }.isEmpty, "told already")
        watchers.changed(anna)
        #expect(Set(told(&watchers, 50_000) { _ in true }) == [anna])
    }

    @Test("V2: while a lane has not confirmed its heads nothing is told, and it is tried again soon")
    func heldBack() {
        var watchers = watchers([anna])
        #expect(told(&watchers, 0, mayTell: false).isEmpty)
        #expect(watchers.nextDeadline(now: at(10), retryMilliseconds: 50) == at(60))
        #expect(told(&watchers, 60) == [anna])
    }

    @Test("V3: what still holds is told again before it ends, each session in its own time")
    func renewal() {
        var watchers = watchers([anna])
        _ = told(&watchers, 0)
        let due = watchers.nextRenewal
        #expect(due > at(PeerStatuses.validMilliseconds / 3 - 1) && due < at(PeerStatuses.validMilliseconds / 2 + 1))
        #expect(told(&watchers, due.milliseconds - 1).isEmpty)
        #expect(told(&watchers, due.milliseconds) == [anna])
    }

    @Test(
        "V3, Z1: what happens to a user out of a viewer's sight moves nothing of a renewal", arguments: [true, false])
    func hiddenChanges(isLoaded: Bool) {
        func changed(at time: Int64) -> PeerWatchers {
            var watchers = watchers([anna, ben])
            _ = told(&watchers, 0)
            watchers.changed(anna)
            #expect(told(&watchers, time, isFocused: false) == [anna])
            return watchers
        }
        let due = watchers([anna, ben]).nextRenewal.milliseconds
        // Rule V4 makes the next look wait past the renewal; or the user is not in memory.
        var (quiet, busy) = (changed(at: due - 100), changed(at: due - 100))
        busy.changed(anna)
        #expect(told(&quiet, due, isFocused: false) == [anna, ben].sorted())
        if !isLoaded {
            #expect(told(&busy, due, isFocused: false) { _ in false }.isEmpty)
            #expect(busy.awaitingLoad == [anna])
            busy.endWaits { _ in false }
        }
        #expect(told(&busy, due + (isLoaded ? 0 : 250), isFocused: false) == [anna, ben].sorted())
    }

    @Test("V2: who does not watch any more, or has closed, hears nothing; and nothing is kept for them")
    func ends() {
        var watchers = watchers([anna, ben])
        watchers.unwatch(1, [anna])
        #expect(!watchers.isWatched(anna) && told(&watchers, 0) == [ben])
        watchers.changed(ben)
        watchers.close(1)
        #expect(watchers.isEmpty && watchers.watchedUsers.isEmpty && told(&watchers, 5_000, isFocused: false).isEmpty)
    }

    @Test("L1: a device that takes nothing is told nothing more until it does, and then what is so by then")
    func behind() {
        var watchers = PeerWatchers()
        let handle = LaneSamples.handle(1)
        watchers.watch(handle, Viewer(user: .random(), scope: .app(chat)), [anna], now: at(0))
        handle.quota.add(1_000)
        #expect(told(&watchers, 0).isEmpty)
        _ = handle.quota.release(1_000)
        #expect(told(&watchers, 1).isEmpty, "nobody said that it takes something again")
        watchers.resume(1, now: at(2))
        #expect(told(&watchers, 2, isFocused: false) == [anna])
    }

    @Test("V1, V2: viewers of one user are each told what they may see and were not told, whatever the others are told")
    func viewersDiffer() {
        var watchers = PeerWatchers()
        let (mail, excluded) = (AppID("com.example.mail")!, UserID.random())
        func watch(_ session: UInt64, _ viewer: Viewer) {
            watchers.watch(LaneSamples.handle(session), viewer, [anna], now: at(0))
        }
        func told(_ now: Int64, isFocused: Bool) -> [UInt64: [PeerStatus]] {
            let told = watchers.statusesToSend(now: at(now), mayTell: true) { _, viewer in
                viewer.user == excluded ? [:] : [viewer.scope.app ?? chat: isFocused]
            }
            return Dictionary(uniqueKeysWithValues: told.map { ($0.0.id, $0.1) })
        }
        func status(_ app: AppID?, _ isFocused: Bool?) -> PeerStatus {
            PeerStatus(user: anna, app: app, isFocused: isFocused)
        }
        for session: UInt64 in 1...3 { watch(session, Viewer(user: .random(), scope: .app(chat))) }
        watch(4, Viewer(user: .random(), scope: .app(mail)))
        watch(5, Viewer(user: excluded, scope: .app(chat)))
        watch(6, Viewer(user: .random(), scope: .system))
        let shown = told(0, isFocused: true)
        #expect([1, 2, 3].allSatisfy { shown[$0] == [status(chat, true)] } && shown[4] == [status(mail, true)])
        #expect(shown[5] == [status(chat, nil)] && shown[6] == [status(nil, nil), status(chat, true)])
        watchers.changed(anna)
        // One asks anew, and so is told although nothing has changed.
        watchers.watch(LaneSamples.handle(2), Viewer(user: .random(), scope: .app(chat)), [anna], now: at(1_000))
        #expect(told(1_000, isFocused: true) == [2: [status(chat, true)]])
        watchers.changed(anna)
        let changed = told(2_000, isFocused: false)
        #expect(Set(changed.keys) == [1, 2, 3, 4, 6] && changed[4] == [status(mail, false)])
        #expect([1, 2, 3, 6].allSatisfy { changed[$0] == [status(chat, false)] })
    }

    @Test("Q7: whoever watches and stops again and again leaves nothing behind while nothing may be told")
    func endsWhileHeldBack() {
        var watchers = PeerWatchers()
        for session: UInt64 in 1...1_000 {
            watchers.watch(LaneSamples.handle(session), Viewer(user: .random(), scope: .app(chat)), [anna], now: at(0))
            if session > 1 { watchers.close(session) }
            #expect(watchers.dueCount <= 4)
        }
        #expect(told(&watchers, 0) == [anna])
    }
}
