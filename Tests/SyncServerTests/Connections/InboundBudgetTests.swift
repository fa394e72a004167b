import FocusCore
import Foundation
import NIOConcurrencyHelpers
import SeededNumbers
import Support
import Testing

@testable import SyncServer

@Suite struct InboundBudgetTests {
    private let anna = ConnectionOwner.user(.random())
    private let ben = ConnectionOwner.user(.random())

    /// Counts who may go on.
    private final class Resumed: Sendable {
        private let names = NIOLockedValueBox<[String]>([])
        var all: [String] { names.withLockedValue { $0 } }
        func note(_ name: String) -> @Sendable () -> Void { { self.names.withLockedValue { $0.append(name) } } }
    }

    @Test("Q7: a user past their share is not read from until they hold half of it; nobody else waits")
    func share() {
        let (budget, resumed) = (InboundBudget(limit: 800), Resumed())
        #expect(budget.share == 100)
        let charge = InboundCharge(bytes: 50, owner: anna)
        #expect(budget.reserve(charge, resume: resumed.note("")))
        #expect(budget.reserve(charge, resume: resumed.note("")), "100 are no more than the share")
        #expect(!budget.reserve(charge, resume: resumed.note("anna")))
        #expect(budget.reserve(InboundCharge(bytes: 90, owner: ben), resume: resumed.note("")))
        budget.release(InboundCharge(bytes: 90, owner: ben))
        budget.release(charge)
        #expect(resumed.all.isEmpty && budget.used == 100)
        budget.release(charge)
        #expect(resumed.all == ["anna"] && budget.used == 50)
        budget.release(charge)
        #expect(resumed.all == ["anna"] && budget.used == 0)
    }

    @Test("Q7: however many hold all that they may, somebody else is read from, and waits for their own requests alone")
    func hoarders() {
        let (budget, resumed) = (InboundBudget(limit: 8_000), Resumed())
        for _ in 0..<100 {
            let hoarder = ConnectionOwner.user(.random())
            while budget.reserve(InboundCharge(bytes: 10, owner: hoarder), resume: resumed.note("hoarder")) {}
        }
        // Each of them has one request more than it may.
        #expect(budget.used <= 8_000 + 100 * 10)
        let request = InboundCharge(bytes: 10, owner: ben)
        for round in 1...3 {
            let goesOn = budget.reserve(request, resume: resumed.note("ben"))
            budget.release(request)
            #expect(goesOn || resumed.all == Array(repeating: "ben", count: round))
        }
        #expect(!resumed.all.contains("hoarder"))
    }

    @Test("Q7: whatever is sent and answered, nobody waits who has nothing unanswered", arguments: Seeds.first(20))
    func progress(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (budget, resumed) = (InboundBudget(limit: 1_000), Resumed())
        let owners = (0..<12).map { ConnectionOwner.connection(UInt64($0)) }
        var held: [(owner: Int, bytes: Int)] = []
        var waits = 0
        for _ in 0..<2_000 {
            if Int.random(in: 0..<5, using: &random) < 3 {
                let next = (
                    owner: Int.random(in: 0..<12, using: &random), bytes: Int.random(in: 1...60, using: &random)
                )
                let charge = InboundCharge(bytes: next.bytes, owner: owners[next.owner])
                if !budget.reserve(charge, resume: resumed.note("\(next.owner)")) { waits += 1 }
                held.append(next)
            } else if let index = held.indices.randomElement(using: &random) {
                let next = held.remove(at: index)
                let before = resumed.all.count
                budget.release(InboundCharge(bytes: next.bytes, owner: owners[next.owner]))
                #expect(resumed.all.dropFirst(before).allSatisfy { $0 == "\(next.owner)" })
            }
            #expect(budget.used == held.reduce(0) { $0 + $1.bytes })
        }
        for next in held { budget.release(InboundCharge(bytes: next.bytes, owner: owners[next.owner])) }
        #expect(resumed.all.count == waits && waits > 0 && budget.used == 0)
    }
}
