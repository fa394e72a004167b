import FocusCore
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import SyncServer

@Suite struct InboundBudgetTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())

    /// Counts who may go on.
    private final class Resumed: Sendable {
        private let names = NIOLockedValueBox<[String]>([])
        var all: [String] { names.withLockedValue { $0 } }
        func note(_ name: String) -> @Sendable () -> Void { { self.names.withLockedValue { $0.append(name) } } }
    }

    @Test("Q7: a user past their share is not read from until half of it is free; nobody else waits")
    func share() {
        let (budget, resumed) = (InboundBudget(limit: 800), Resumed())
        #expect(budget.share == 100)
        let charge = InboundCharge(bytes: 60, user: anna)
        #expect(budget.reserve(charge, resume: resumed.note("")))
        #expect(!budget.reserve(charge, resume: resumed.note("anna")))
        #expect(budget.reserve(InboundCharge(bytes: 90, user: ben), resume: resumed.note("")))
        #expect(budget.reserve(InboundCharge(bytes: 50), resume: resumed.note("")))
        budget.release(InboundCharge(bytes: 90, user: ben))
        budget.release(InboundCharge(bytes: 50))
        #expect(resumed.all.isEmpty && budget.used == 120)
        budget.release(charge)
        #expect(resumed.all.isEmpty, "60 of 100 are held yet")
        budget.release(charge)
        #expect(resumed.all == ["anna"] && budget.used == 0)
    }

    @Test("Past the limit of all, who sends more waits until half of it is free")
    func all() {
        let (budget, resumed) = (InboundBudget(limit: 80), Resumed())
        for _ in 0..<9 {
            _ = budget.reserve(InboundCharge(bytes: 10, user: UserID(UUID())), resume: resumed.note("x"))
        }
        #expect(resumed.all.isEmpty && budget.used == 90)
        for _ in 0..<4 { budget.release(InboundCharge(bytes: 10)) }
        #expect(resumed.all.isEmpty)
        budget.release(InboundCharge(bytes: 10))
        #expect(resumed.all == ["x"])
    }
}
