import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// Whom a lane's loader is asked for, and what is kept of them meanwhile.
@Suite struct PendingLoadsTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func ask(_ loads: inout PendingLoads, limit: Int = 10, now: Int64 = 0) -> LoadQuestion? {
        loads.ask(limit: limit, now: at(now)) { [store] _ in store.head }
    }

    private func use(_ loads: PendingLoads, of id: UserID, at head: PartitionHead, version: Int64 = 0) -> LoadUse {
        loads.use(of: id, at: head, version: Version(version))
    }

    private func users(_ question: LoadQuestion?) -> [UserID] { question?.users.map(\.1) ?? [] }

    @Test("Users are asked for in the order in which they are needed, each once, two questions at a time")
    func asks() {
        var loads = PendingLoads()
        let all = (0..<5).map { _ in UserID(UUID()) }
        for id in all + all { loads.need(id) }
        #expect(loads.count == 5 && all.allSatisfy(loads.contains))
        let first = ask(&loads, limit: 2)
        #expect(users(first) == Array(all[0..<2]) && users(ask(&loads, limit: 2)) == Array(all[2..<4]))
        for id in all { loads.need(id) }
        #expect(ask(&loads) == nil && loads.nextQuestion == nil && loads.count == 5)
        let ends = [loads.ended(1), loads.ended(1)]
        #expect(ends == [true, false])
        #expect(users(ask(&loads)) == [all[4]])
    }

    @Test("Who did not come with an answer is next, in the order in which they were needed")
    func rest() {
        var loads = PendingLoads()
        let all = (0..<8).map { _ in UserID(UUID()) }
        for id in all.prefix(6) { loads.need(id) }
        #expect(users(ask(&loads, limit: 4)) == Array(all[0..<4]))
        for id in all.suffix(2) { loads.need(id) }
        _ = loads.remove(all[0])
        let isNew = loads.ended(1)
        loads.askForRest(of: 1)
        #expect(users(ask(&loads, limit: 8)) == Array(all[1...]) && loads.count == 7 && isNew)
    }

    @Test("Q1: of whom much was loaded waits for those of whom little was")
    func fair() {
        var loads = PendingLoads()
        for bytes in [64 << 20, 1_000] {
            let id = bytes > 1_000 ? anna : ben
            loads.need(id)
            #expect(users(ask(&loads)) == [id])
            _ = (loads.remove(id, bytes: bytes), loads.ended(bytes > 1_000 ? 1 : 2))
        }
        let (carol, dora) = (UserID(UUID()), UserID(UUID()))
        for id in [anna, ben, carol] { loads.need(id) }
        #expect((0..<3).map { _ in users(ask(&loads, limit: 1)) } == [[carol], [ben], []])
        let isNew = (loads.ended(3), loads.ended(4))
        #expect(users(ask(&loads, limit: 1)) == [anna] && isNew == (true, true))
        // Those who do not come with an answer had no turn: who is new does not wait for them.
        loads.askForRest(of: 5)
        loads.need(dora)
        #expect(users(ask(&loads)) == [dora, anna])
    }

    @Test("Q1: nobody waits for ever who is asked for with a user whose loads are of no use")
    func useless() {
        var loads = PendingLoads()
        for id in [anna, ben] { loads.need(id) }
        #expect(users(ask(&loads)) == [anna, ben])
        loads.again(anna)
        let isNew = loads.ended(1)
        loads.askForRest(of: 1)
        #expect(users(ask(&loads)) == [ben, anna] && isNew)
    }

    @Test("A question names the cursors of those for whom an outline may do, and of nobody else")
    func cursors() throws {
        var loads = PendingLoads()
        for id in [anna, ben] { loads.need(id) }
        let cursor = Cursor(log: LaneSamples.log, version: Version(1), event: EventID(UUID()), view: 1)
        let asked = loads.ask(
            limit: 10, now: at(0), head: { [store] _ in store.head }, cursors: { [anna] in $0 == anna ? [cursor] : nil }
        )
        #expect(try #require(asked).cursors == [anna: [cursor]] && users(asked) == [anna, ben])
    }

    @Test("What others append for a user who is asked for is kept for the answer, and nothing of anybody else")
    func meanwhile() {
        var loads = PendingLoads()
        loads.need(anna)
        _ = ask(&loads)
        loads.need(ben)
        let events = [anna, ben, anna].map { store.appendFocus("a", of: $0) }
        for event in events { loads.followed(event) }
        #expect(use(loads, of: anna, at: store.head) == .usable)
        #expect(loads.remove(anna).map(\.id) == [events[0].id, events[2].id] && !loads.contains(anna))
        #expect(loads.remove(anna).isEmpty && loads.contains(ben))
    }

    @Test("An answer is not used that saw less than the lane knew when it asked, or after what no event tells")
    func outdated() {
        var loads = PendingLoads()
        let before = store.head
        store.appendFocus("a", of: anna)
        for id in [anna, ben] { loads.need(id) }
        _ = ask(&loads)
        #expect(use(loads, of: anna, at: before) == .stale && use(loads, of: anna, at: store.head) == .usable)
        loads.outdate(anna)
        #expect(use(loads, of: anna, at: store.head) == .outdated && use(loads, of: ben, at: store.head) == .usable)
        loads.outdate { $0 == ben }
        #expect(use(loads, of: ben, at: store.head) == .outdated)
        // That it saw too little tells of its server, whatever else happened.
        #expect(use(loads, of: ben, at: before) == .stale)
        loads.again(anna)
        #expect(users(ask(&loads)) == [anna] && use(loads, of: anna, at: store.head) == .usable)
    }

    @Test("An answer from a generation before the one that the lane knew when it asked is of a server left behind")
    func olderGeneration() {
        var loads = PendingLoads()
        let before = store.head
        store.generation = 2
        loads.need(anna)
        _ = ask(&loads)
        #expect(use(loads, of: anna, at: before) == .stale)
        // One that was shown since is no sign of that.
        var after = store.head
        after.generation = 3
        #expect(use(loads, of: anna, at: after) == .usable)
    }

    @Test("A server that was left behind, and is reached again and again, is asked after a pause each time")
    func rests() {
        var loads = PendingLoads()
        loads.need(anna)
        _ = ask(&loads)
        loads.again(anna, elsewhere: true)
        loads.rest(until: at(250))
        #expect(ask(&loads, now: 249) == nil && ask(&loads, now: 250)?.reconnects == true)
    }

    @Test("Events of a mebibyte are kept, not of a byte more")
    func bound() {
        for extra in [0, 1] {
            var loads = PendingLoads()
            loads.need(anna)
            _ = ask(&loads)
            var event = store.appendFocus("a", of: anna)
            event.payload = Array(repeating: 0, count: PendingLoads.keptBytes / 2)
            loads.followed(event)
            event.payload = Array(repeating: 0, count: PendingLoads.keptBytes / 2 + extra)
            loads.followed(event)
            #expect(use(loads, of: anna, at: store.head) == (extra == 0 ? .usable : .lacks(through: event.version)))
            #expect(loads.remove(anna).count == (extra == 0 ? 2 : 0))
        }
    }

    @Test("An answer that has all events which were not told is used, with those that were told since")
    func skipped() {
        var loads = PendingLoads()
        loads.need(anna)
        _ = ask(&loads)
        loads.followed(store.appendFocus("a", of: anna))
        loads.skipped(anna, to: Version(3))
        loads.skipped(ben, to: Version(3))
        for _ in 0..<2 { store.appendFocus("b", of: anna) }
        let last = store.appendFocus("c", of: anna)
        loads.followed(last)
        #expect(use(loads, of: anna, at: store.head, version: 2) == .lacks(through: Version(3)))
        #expect(use(loads, of: anna, at: store.head, version: 3) == .usable)
        #expect(loads.remove(anna) == [last] && !loads.contains(ben))
    }

    @Test("Of whom an outline lacked events the next question asks for the state, and the one after it as it is told")
    func inFull() {
        var loads = PendingLoads()
        func ask() -> Int? {
            loads.ask(limit: 10, now: at(0), head: { [store] _ in store.head }, cursors: { _ in [] })?.cursors.count
        }
        loads.need(anna)
        let first = ask()
        _ = loads.ended(1)
        loads.again(anna, inFull: true)
        let second = ask()
        _ = loads.ended(2)
        loads.again(anna)
        #expect(first == 1 && second == 0 && ask() == 1)
    }

    @Test("Users whom the database refused to load are asked for again after a pause, over a new connection")
    func failed() {
        var loads = PendingLoads()
        loads.need(anna)
        let question = ask(&loads)
        let isAwaited = loads.ended(question?.number ?? 0)
        #expect(isAwaited)
        loads.failed(question?.number ?? 0, until: at(250))
        #expect(ask(&loads, now: 249) == nil && loads.nextQuestion == at(250))
        let again = ask(&loads, now: 250)
        #expect(users(again) == [anna] && again?.reconnects == true && question?.reconnects == false)
    }

    @Test("An answer of another log makes the loader connect anew, once")
    func elsewhere() {
        var loads = PendingLoads()
        loads.need(anna)
        #expect(ask(&loads)?.reconnects == false && loads.ended(1))
        loads.again(anna, elsewhere: true)
        #expect(ask(&loads)?.reconnects == true && loads.ended(2))
        loads.again(anna)
        #expect(ask(&loads)?.reconnects == false)
    }

    @Test("G2: when the lane had to connect anew the loader does too, once, and what was asked before is used")
    func connectsAnew() {
        var loads = PendingLoads()
        for id in [anna, ben] { loads.need(id) }
        _ = ask(&loads, limit: 1)
        loads.reconnect()
        #expect(use(loads, of: anna, at: store.head) == .usable)
        #expect(ask(&loads, limit: 1)?.reconnects == true && use(loads, of: ben, at: store.head) == .usable)
        loads.again(anna)
        #expect(loads.ended(2) && ask(&loads)?.reconnects == false)
    }

    @Test("G2: when another server took over, answers of before are not used, and the loader connects anew, once")
    func tookOver() {
        var loads = PendingLoads()
        for id in [anna, ben] { loads.need(id) }
        _ = ask(&loads, limit: 1)
        loads.leaveServer()
        #expect(use(loads, of: anna, at: store.head) == .outdated)
        #expect(ask(&loads, limit: 1)?.reconnects == true && use(loads, of: ben, at: store.head) == .usable)
        loads.again(anna)
        #expect(loads.ended(2) && ask(&loads)?.reconnects == false)
    }

    @Test("Q1: a user whose state is handed over is as one who is asked for, and takes no question of the loader")
    func handedOver() {
        var loads = PendingLoads()
        let number = loads.handOver(anna, bytes: 1_000, head: store.head)
        #expect(loads.contains(anna) && loads.handedCount == 1 && loads.handedBytes == 1_000)
        for id in [anna, ben] { loads.need(id) }
        #expect(users(ask(&loads, limit: 1)) == [ben] && use(loads, of: anna, at: store.head) == .usable)
        let event = store.appendFocus("of another", of: anna)
        loads.followed(event)
        #expect(loads.ended(number) && !loads.ended(number) && loads.handedBytes == 0)
        #expect(loads.remove(anna) == [event])
        // Nothing is known of a state that was handed over before a restart.
        let second = loads.handOver(anna, bytes: 1_000, head: store.head)
        loads.restart()
        #expect(!loads.ended(second) && users(ask(&loads)).contains(anna))
    }

    @Test("After a restart answers of before are ignored, and everybody is asked for again")
    func restarts() {
        var loads = PendingLoads()
        for id in [anna, ben] { loads.need(id) }
        _ = ask(&loads)
        loads.restart()
        #expect(!loads.ended(1) && Set(users(ask(&loads))) == [anna, ben])
        loads.removeAll()
        #expect(!loads.ended(2) && loads.count == 0 && ask(&loads) == nil)
    }
}
