import Foundation
import Support
import Testing

@testable import SyncServer

/// Whose turn is next, of accounts that wait for work.
@Suite struct WorkAccountsTests {
    private typealias Accounts = WorkAccounts<String, Int>

    /// Has turns, each with work that is given, as long as something waits.
    private func turns(_ accounts: inout Accounts, _ count: Int, _ work: (String) -> Int) -> [String] {
        var served: [String] = []
        while served.count < count, let key = accounts.next() {
            served.append(key)
            accounts.endTurn(of: key, work: work(key), waits: true)
        }
        return served
    }

    @Test("Q1: who wait with work of equal cost have turns one after the other, who came first before the others")
    func equal() {
        var accounts = Accounts(goneLimit: 10)
        for key in ["c", "a", "b"] { accounts.wait(key, opening: 0) }
        #expect(turns(&accounts, 7) { _ in 5 } == ["c", "a", "b", "c", "a", "b", "c"])
    }

    @Test("Q1: each gets the same work, however dear the single turn is")
    func shares() {
        var accounts = Accounts(goneLimit: 10)
        let costs = ["dear": 1_000, "mean": 70, "cheap": 10]
        for key in costs.keys.sorted() { accounts.wait(key, opening: 0) }
        var work: [String: Int] = [:]
        for key in turns(&accounts, 10_000, { costs[$0] ?? 0 }) { work[key, default: 0] += costs[key] ?? 0 }
        let (least, most) = (work.values.min() ?? 0, work.values.max() ?? 0)
        #expect(least > 0 && most - least <= 1_000)
    }

    @Test("Q1: who comes back from idle is next, and has no claim on what they did not use")
    func idle() {
        var accounts = Accounts(goneLimit: 10)
        accounts.wait("a", opening: 0)
        _ = turns(&accounts, 100) { _ in 10 }
        accounts.wait("b", opening: 0)
        #expect(turns(&accounts, 6) { _ in 10 } == ["b", "a", "b", "a", "b", "a"])
    }

    @Test("Q1: who had more than others owes it still when they come back")
    func debt() {
        var accounts = Accounts(goneLimit: 10)
        for key in ["dear", "cheap"] { accounts.wait(key, opening: 0) }
        _ = accounts.next()
        accounts.endTurn(of: "dear", work: 100, waits: false)
        accounts.wait("dear", opening: 0)
        #expect(turns(&accounts, 12) { _ in 10 }.prefix(10).allSatisfy { $0 == "cheap" })
        // Alone it need not wait for anybody.
        var alone = Accounts(goneLimit: 10)
        alone.wait("dear", opening: 0)
        #expect(turns(&alone, 3) { _ in 1_000 } == ["dear", "dear", "dear"])
    }

    @Test("An account waits once, however often it is told to, and keeps what it has")
    func once() {
        var accounts = Accounts(goneLimit: 10)
        for content in 1...3 { accounts.wait("a", opening: content) }
        #expect(accounts.with("a") { $0 } == 1 && accounts.with("b") { $0 } == nil)
        #expect(accounts.next() == "a" && accounts.next() == nil && accounts.isEmpty)
        accounts.endTurn(of: "a", work: 1, waits: false)
        accounts.wait("a", opening: 4)
        #expect(accounts.with("a") { $0 } == 1 && !accounts.isEmpty)
    }

    @Test("Who owes nothing is forgotten at once; of those who owe, the bound's number is remembered")
    func bounded() {
        var accounts = Accounts(goneLimit: 3)
        accounts.wait("idle", opening: 0)
        _ = accounts.next()
        accounts.endTurn(of: "idle", work: 0, waits: false)
        #expect(accounts.count == 0)
        for number in 0..<100 {
            accounts.wait("\(number)", opening: 0)
            _ = accounts.next()
            accounts.endTurn(of: "\(number)", work: 1_000, waits: false)
            #expect(accounts.count <= 3)
        }
        accounts.wait("0", opening: 7)
        #expect(accounts.with("0") { $0 } == 7)
    }

    @Test("What is remembered stays bounded when the same accounts come and go again and again")
    func comesAndGoes() {
        var accounts = Accounts(goneLimit: 2)
        accounts.wait("debtor", opening: 0)
        _ = accounts.next()
        accounts.endTurn(of: "debtor", work: 1_000_000, waits: false)
        for _ in 0..<1_000 {
            accounts.wait("a", opening: 0)
            #expect(accounts.next() == "a")
            accounts.endTurn(of: "a", work: 10, waits: false)
        }
        // The debtor was not forgotten for one that only comes and goes.
        #expect(accounts.with("debtor") { $0 } == 0 && accounts.count == 2)
    }

    @Test(
        "Q1: among random accounts nobody who waits is passed by more than the dearest turn", arguments: Seeds.first(50)
    )
    func random(seed: UInt64) {
        var random = PartDice(seed)
        var accounts = WorkAccounts<Int, Int>(goneLimit: 5)
        let dearest = 500
        // What was done for others since the account began to wait, beside what was done for itself.
        var waiting: [Int: (others: [Int: Int], own: Int)] = [:]
        for _ in 0..<400 {
            let key = Int(random.next() % 8)
            if waiting[key] == nil {
                accounts.wait(key, opening: 0)
                waiting[key] = ([:], 0)
            }
            guard random.next() % 2 == 0, let next = accounts.next() else { continue }
            let work = Int(random.next() % UInt64(dearest)) + 1
            let stays = random.next() % 4 > 0
            for other in waiting.keys.sorted() where other != next {
                waiting[other]?.others[next, default: 0] += work
                let (others, own) = waiting[other] ?? ([:], 0)
                #expect((others[next] ?? 0) <= own + 2 * dearest, "seed \(seed)")
            }
            accounts.endTurn(of: next, work: work, waits: stays)
            if stays { waiting[next]?.own += work } else { waiting[next] = nil }
        }
    }
}
